#include "simt/diagnostics.hpp"

#include <string_view>

#include <gtest/gtest.h>

namespace assay::simt {
namespace {

constexpr std::string_view kSource = "first\nsecond\nthird\n";

TEST(ReadableLog, shows_each_message_with_the_line_it_is_about) {
  EXPECT_EQ(
      readable_log("k.cu: In function 'f':\nk.cu:2:5: error: expected ';'\n", kSource, "k.cu"),
      "k.cu:2: error: expected ';'\n    2 | second\n");
}

TEST(ReadableLog, leaves_out_what_is_about_our_headers) {
  EXPECT_EQ(readable_log("/x/include/assay/simt/launch.hpp:3:1: note: candidate\n"
                         "k.cu:3:1: note: required from here\n",
                         kSource, "k.cu"),
            "k.cu:3: note: required from here\n    3 | third\n");
}

TEST(ReadableLog, falls_back_to_the_first_error_elsewhere) {
  EXPECT_EQ(readable_log("name_expressions:1:3: error: 'nope' was not declared\n", kSource, "k.cu"),
            "error: 'nope' was not declared\n");
}

TEST(ReadableLog, says_an_error_once_however_often_it_is_repeated) {
  EXPECT_EQ(readable_log("k.cu:1:1: error: no\nk.cu:1:9: error: no\n", kSource, "k.cu"),
            "k.cu:1: error: no\n    1 | first\n");
}

TEST(ReadableLog, is_empty_for_no_output) {
  EXPECT_EQ(readable_log("", kSource, "k.cu"), "");
}

}  // namespace
}  // namespace assay::simt
