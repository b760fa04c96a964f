#include "wire/json_mistake.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::wire {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(JsonMistake, names_line_and_column) {
  EXPECT_THAT(json_mistake("{\n  \"a\": 1,\n}"), StartsWith("line 3, column 1: unexpected '}'"));
  EXPECT_THAT(json_mistake("[1 2]"), StartsWith("line 1, column 4: unexpected number literal"));
}

TEST(JsonMistake, tells_a_text_that_ends_too_early) {
  EXPECT_THAT(json_mistake(""), HasSubstr("line 1, column 1: unexpected end of input"));
  EXPECT_THAT(json_mistake("{\"a\":\n"), StartsWith("line 2, column 1: unexpected end of input"));
}

TEST(JsonMistake, says_what_usual_mistakes_are) {
  EXPECT_THAT(json_mistake("{\"a\": 1,\n}"), EndsWith("(there is a comma too many)"));
  EXPECT_THAT(json_mistake("{'a': 1}"), EndsWith("(JSON wants double quotes)"));
  EXPECT_THAT(json_mistake("// a\n{}"), EndsWith("(JSON has no comments)"));
  EXPECT_THAT(json_mistake("{\"a\": NaN}"), HasSubstr("no NaN or Infinity"));
  EXPECT_THAT(json_mistake("{\"a\": True}"), HasSubstr("JSON has null, true and false"));
  EXPECT_THAT(json_mistake(std::string("\xff\xfe{\0}\0", 6)), EndsWith("save it as UTF-8)"));
  EXPECT_THAT(json_mistake("{\"a\" 1}"), Not(HasSubstr("(")));
}

TEST(JsonMistake, is_silent_about_json) {
  EXPECT_EQ(json_mistake("{\"a\": [1, null]}"), "");
}

}  // namespace
}  // namespace assay::wire
