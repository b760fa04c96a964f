#include "trace/utf8.hpp"

#include <cstddef>
#include <string>
#include <vector>

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

TEST(ShortenApart, keeps_different_names_different) {
  const std::string begin = "void at::native::vectorized_elementwise_kernel<4, ";
  const std::string end = "Functor<float>, std::array<char*, 3ul> >(int, std::array<char*, 3ul>)";
  std::vector<std::string> names = {begin + "Add" + end, begin + "Mul" + end, begin + "Add" + end,
                                    "short"};
  for (int i = 0; i < 30; ++i) {
    names.push_back(begin + std::string(static_cast<std::size_t>(i), 'x') + end);
  }
  for (const std::size_t width : {24U, 40U, 60U}) {
    const std::vector<std::string> shown = shorten_apart(names, width);
    ASSERT_EQ(shown.size(), names.size());
    EXPECT_EQ(shown[3], "short");
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_LE(display_width(shown[i]), width);
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_EQ(shown[i] == shown[j], names[i] == names[j]) << shown[i];
      }
    }
  }
}

TEST(ShortenApart, shows_where_names_differ) {
  const std::string begin(60, 'a');
  const std::string end(60, 'z');
  const auto shown = shorten_apart({begin + "ADD" + end, begin + "MUL" + end}, 30);
  EXPECT_NE(shown[0].find("ADD"), std::string::npos) << shown[0];
  EXPECT_NE(shown[1].find("MUL"), std::string::npos) << shown[1];
}

TEST(ByteOrderMark, is_taken_off_and_utf_16_is_decoded) {
  EXPECT_EQ(without_byte_order_mark("\xEF\xBB\xBFplain"), "plain");
  EXPECT_EQ(without_byte_order_mark("plain"), "plain");
  EXPECT_EQ(without_byte_order_mark(std::string("\xFF\xFE"
                                                "a\0\xE9\0\xAC\x20",
                                                8)),
            "aé€");
  EXPECT_EQ(without_byte_order_mark(std::string("\xFE\xFF\0a\0b", 6)), "ab");
  EXPECT_EQ(without_byte_order_mark(std::string("\xFF\xFE\x3D\xD8\x00\xDE", 6)), "😀");
  EXPECT_EQ(without_byte_order_mark("\xFF\xFE\x3D\xD8"), "\xEF\xBF\xBD") << "half a pair";
  EXPECT_EQ(without_byte_order_mark("\xFF\xFE"
                                    "a"),
            "")
      << "half a unit";
}

}  // namespace
}  // namespace assay::trace
