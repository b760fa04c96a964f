#include "wire/json_mistake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(JsonMistake, names_line_and_column) {
  EXPECT_THAT(json_mistake("{\n  \"a\": 1,\n}"), StartsWith("line 3, column 1: unexpected '}'"));
  EXPECT_THAT(json_mistake("[1 2]"), StartsWith("line 1, column 4: unexpected number literal"));
}

TEST(JsonMistake, tells_a_text_that_ends_too_early) {
  EXPECT_THAT(json_mistake(""), HasSubstr("line 1, column 1: unexpected end of input"));
  EXPECT_THAT(json_mistake("{\"a\":\n"), StartsWith("line 2, column 1: unexpected end of input"));
}

TEST(JsonMistake, is_silent_about_json) {
  EXPECT_EQ(json_mistake("{\"a\": [1, null]}"), "");
}

}  // namespace
}  // namespace assay::wire
