#include "simt/diagnostics.hpp"

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace assay::simt {
namespace {

std::string log_of(std::string_view output) {
  const std::array sources = {
      NamedSource{.name = "k.cu", .text = "first\nsecond\nthird\n"},
      NamedSource{.name = "m.cpp", .text = "#include <x>\n#line 1\nmine\n"}};
  return readable_log(output, sources);
}

TEST(ReadableLog, shows_each_message_with_the_line_it_is_about) {
  EXPECT_EQ(log_of("k.cu: In function 'f':\nk.cu:2:5: error: expected ';'\n"),
            "k.cu:2: error: expected ';'\n    2 | second\n");
}

TEST(ReadableLog, leaves_out_what_is_about_our_headers) {
  EXPECT_EQ(log_of("/x/include/assay/simt/launch.hpp:3:1: note: candidate\n"
                   "k.cu:3:1: note: required from here\n"),
            "k.cu:3: note: required from here\n    3 | third\n");
}

TEST(ReadableLog, falls_back_to_the_first_error_elsewhere) {
  EXPECT_EQ(log_of("name_expressions:1:3: error: 'nope' was not declared\n"),
            "error: 'nope' was not declared\n");
}

TEST(ReadableLog, says_an_error_once_however_often_it_is_repeated) {
  EXPECT_EQ(log_of("k.cu:1:1: error: no\nk.cu:1:9: error: no\n"),
            "k.cu:1: error: no\n    1 | first\n");
}

TEST(ReadableLog, says_an_error_of_one_file_once_where_there_are_several) {
  EXPECT_EQ(log_of("k.cu:1:1: error: no\nm.cpp:1:9: error: neither\n"),
            "k.cu:1: error: no\n    1 | first\nm.cpp:1: error: neither\n    1 | mine\n");
}

TEST(PresumedLine, counts_from_what_a_directive_says) {
  constexpr std::string_view kSource = "a\nb\n#line 1\nc\nd\n#line 7 \"other\"\ne\n";
  EXPECT_EQ(presumed_line(kSource, 2), 2U);
  EXPECT_EQ(presumed_line(kSource, 4), 1U);
  EXPECT_EQ(presumed_line(kSource, 5), 2U);
  EXPECT_EQ(presumed_line(kSource, 7), 7U);
}

TEST(ReadableLog, is_empty_for_no_output) {
  EXPECT_EQ(log_of(""), "");
}

}  // namespace
}  // namespace assay::simt
