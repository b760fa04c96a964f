#include "trace/diagnostics.hpp"

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(Diagnostics, count_by_name_and_keep_the_first_detail) {
  Diagnostics diagnostics;
  diagnostics.add("open_range", "range 7 has no end");
  diagnostics.add("open_range", "range 9 has no end", 2);
  diagnostics.add("bad_row", "row 3");
  ASSERT_EQ(diagnostics.entries().size(), 2U);
  EXPECT_EQ(diagnostics.entries()[0], (Diagnostic{"open_range", "range 7 has no end", 3}));
  EXPECT_EQ(diagnostics.count("bad_row"), 1U);
}

TEST(Diagnostics, of_nothing_are_empty) {
  Diagnostics diagnostics;
  diagnostics.add("bad_row", "never", 0);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(diagnostics.count("bad_row"), 0U);
}

TEST(Diagnostics, merge_adds_counts) {
  Diagnostics first;
  first.add("bad_row", "one");
  Diagnostics second;
  second.add("bad_row", "two", 4);
  second.add("no_unit", "three");
  first.merge(second);
  EXPECT_EQ(first.count("bad_row"), 5U);
  EXPECT_EQ(first.count("no_unit"), 1U);
}

}  // namespace
}  // namespace assay::trace
