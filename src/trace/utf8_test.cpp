#include "trace/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(Utf8, keeps_what_is_well_formed) {
  const std::string text = "a\u00e9\u20ac\U0001F600";
  EXPECT_EQ(to_valid_utf8(text), text);
}

TEST(Utf8, replaces_each_byte_that_is_not) {
  EXPECT_EQ(to_valid_utf8("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(to_valid_utf8("\xE2\x82"), "\uFFFD\uFFFD");                      // cut short
  EXPECT_EQ(to_valid_utf8("\xC0\x80"), "\uFFFD\uFFFD");                      // overlong
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(to_valid_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // past the end
}

TEST(Utf8, one_line_text_cannot_drive_a_terminal) {
  EXPECT_EQ(to_one_line("a\x1b[31m\nb\x7f"), "a?[31m?b?");
  EXPECT_EQ(to_one_line("x\u009by"), "x?y");
}

TEST(Utf8, width_counts_code_points) {
  EXPECT_EQ(display_width("a\u20acb"), 3U);
}

TEST(Utf8, shortening_keeps_both_ends) {
  EXPECT_EQ(shorten_middle("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(shorten_middle("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shorten_middle("\u20ac\u20ac\u20ac\u20ac", 3), "\u20ac…\u20ac");
  EXPECT_EQ(shorten_middle("abc", 1), "…");
  EXPECT_EQ(shorten_middle("abc", 0), "");
}

TEST(Utf8, words_wrap_at_the_width_and_never_within_one) {
  EXPECT_EQ(wrap_words("one two  three", "  ", 9), "  one two\n  three\n");
  EXPECT_EQ(wrap_words("a muchtoolongword b", "", 5), "a\nmuchtoolongword\nb\n");
  EXPECT_EQ(wrap_words("", "  ", 9), "");
}

}  // namespace
}  // namespace assay::trace
