#include "simt/edits.hpp"

#include <gtest/gtest.h>

namespace assay::simt {
namespace {

TEST(Edits, apply_in_order_of_place_not_of_arrival) {
  Edits edits;
  edits.replace(4, 1, "Y");
  edits.insert(0, "X");
  EXPECT_EQ(edits.apply("abcde"), "XabcdY");
}

TEST(Edits, keep_the_line_breaks_of_what_they_replace) {
  Edits edits;
  edits.replace(0, 5, "x");
  EXPECT_EQ(edits.apply("a\nb\nc d"), "x\n\n d");
}

TEST(Edits, insert_before_what_is_replaced_at_the_same_place) {
  Edits edits;
  edits.replace(1, 1, "");
  edits.insert(1, "in");
  EXPECT_EQ(edits.apply("abc"), "ainc");
}

TEST(Edits, ignore_a_change_inside_replaced_text) {
  Edits edits;
  edits.replace(0, 3, "new");
  edits.insert(1, "lost");
  EXPECT_EQ(edits.apply("old text"), "new text");
}

}  // namespace
}  // namespace assay::simt
