#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Printable, control_characters_become_question_marks) {
  EXPECT_EQ(printable("a\x1b[2Jb\x07\r\x7f"), "a?[2Jb???");
  EXPECT_EQ(printable("x\u009b31my\u0085"), "x?31my?");
  EXPECT_EQ(printable("two\n\tlines"), "two\n\tlines");
}

TEST(Printable, text_of_any_language_stays) {
  EXPECT_EQ(printable("µs, Größe, 核, \u00a0…"), "µs, Größe, 核, \u00a0…");
  EXPECT_EQ(printable("cut \xc2"), "cut \xc2");
}

TEST(Printable, line_has_no_line_feed) {
  EXPECT_EQ(printable_line("two\n\tlines\x1b"), "two  lines?");
}

}  // namespace
}  // namespace assay
