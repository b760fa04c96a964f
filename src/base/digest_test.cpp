#include "base/digest.hpp"

#include <string>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Digest, agrees_with_the_published_vector_for_abc) {
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, reads_back_what_it_wrote) {
  const Digest digest = sha256("x");
  EXPECT_EQ(Digest::from_hex(digest.hex()).value(), digest);
}

TEST(Digest, refuses_a_text_that_is_no_digest) {
  EXPECT_FALSE(Digest::from_hex("abc"));
  EXPECT_FALSE(Digest::from_hex(std::string(64, 'Z')));
}

TEST(Hasher, fields_do_not_run_into_each_other) {
  const Digest one = Hasher().field("ab").field("c").finish();
  const Digest two = Hasher().field("a").field("bc").finish();
  EXPECT_NE(one, two);
}

}  // namespace
}  // namespace assay
