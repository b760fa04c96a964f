#include "cli/suggestion.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

const std::vector<std::string> kKnown = {"--candidate", "--reference", "--trials", "--timeout",
                                         "compare"};

TEST(Nearest, finds_what_was_meant) {
  EXPECT_EQ(nearest("--candiate", kKnown), "--candidate");
  EXPECT_EQ(nearest("--trial", kKnown), "--trials");
  EXPECT_EQ(nearest("comapre", kKnown), "compare");
  EXPECT_EQ(nearest("--ref", kKnown), "--reference");
}

TEST(Nearest, suggests_nothing_far_away) {
  EXPECT_EQ(nearest("--zebra-crossing", kKnown), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(OneOf, takes_its_words_and_says_what_was_meant) {
  const CLI::Validator validator = one_of({"memory", "race"});
  std::string word = "race";
  EXPECT_EQ(validator(word), "");
  word = "memroy";
  EXPECT_EQ(validator(word), "there is no 'memroy': did you mean memory? Known: memory, race");
  word = "everything";
  EXPECT_EQ(validator(word), "there is no 'everything'. Known: memory, race");
}

}  // namespace
}  // namespace assay::cli
