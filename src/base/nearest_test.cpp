#include "base/nearest.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

const std::vector<std::string> kKnown = {"--candidate", "--reference", "--trials", "--timeout",
                                         "compare"};

TEST(Nearest, finds_what_was_meant) {
  EXPECT_EQ(nearest("--candiate", kKnown), "--candidate");
  EXPECT_EQ(nearest("--trial", kKnown), "--trials");
  EXPECT_EQ(nearest("comapre", kKnown), "compare");
  EXPECT_EQ(nearest("--ref", kKnown), "--reference");
  EXPECT_EQ(nearest("trials", {"rounds", "num_trials"}), "num_trials");
}

TEST(Nearest, word_of_many_megabytes_is_not_compared_letter_by_letter) {
  const std::string word(std::size_t{64} << 20U, 'x');  // a minute, if it were
  const std::vector<std::string> known(1000, "candidate");
  EXPECT_EQ(nearest(word, known), std::nullopt);
}

TEST(Nearest, suggests_nothing_far_away) {
  EXPECT_EQ(nearest("--zebra-crossing", kKnown), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

}  // namespace
}  // namespace assay
