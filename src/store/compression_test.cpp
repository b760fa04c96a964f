#include "store/compression.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::store {
namespace {

TEST(Compression, gives_back_what_was_packed) {
  for (const std::string& bytes :
       {std::string(), std::string("short"), std::string(100'000, 'x'), std::string("a\0b", 3)}) {
    EXPECT_EQ(unpack(pack(bytes)).value(), bytes);
  }
}

TEST(Compression, makes_long_text_small) {
  EXPECT_LT(pack(std::string(100'000, 'x')).size(), 1000U);
}

TEST(Compression, what_pack_did_not_write_is_data_loss) {
  for (const char* packed : {"", "?", "zgarbage"}) {
    EXPECT_EQ(unpack(packed).error().code(), ErrorCode::data_loss) << packed;
  }
  std::string damaged = pack(std::string(100'000, 'x'));
  damaged.resize(damaged.size() - 1);
  EXPECT_EQ(unpack(damaged).error().code(), ErrorCode::data_loss);
}

TEST(Compression, more_than_the_limit_is_not_unpacked) {
  EXPECT_EQ(unpack(pack(std::string(5000, 'x')), 4999).error().code(),
            ErrorCode::resource_exhausted);
  EXPECT_EQ(unpack(pack("12345"), 4).error().code(), ErrorCode::resource_exhausted);
}

}  // namespace
}  // namespace assay::store
