#include "cli/suggestion.hpp"

#include <string>

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

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
