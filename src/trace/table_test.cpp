#include "trace/table.hpp"

#include <cstdint>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(Cell, holds_every_integer_exactly) {
  const auto largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(std::get<std::uint64_t>(Cell(largest).value()), largest);
  EXPECT_EQ(std::get<std::int64_t>(Cell(-5).value()), -5);
  EXPECT_EQ(Cell(std::uint32_t{7}), Cell(7));
}

TEST(Cell, without_a_value_is_absent_and_has_no_number) {
  EXPECT_TRUE(Cell().absent());
  EXPECT_TRUE(Cell(std::optional<double>{}).absent());
  EXPECT_FALSE(Cell().number());
  EXPECT_FALSE(Cell("12").number());
  EXPECT_EQ(Cell(12).number(), 12.0);
  EXPECT_EQ(Cell(std::optional<double>{1.5}).number(), 1.5);
}

TEST(Table, finds_a_cell_by_the_name_of_its_column) {
  Table table{.name = "t", .columns = {{"name", "Name"}, {"total_ns", "Total"}}};
  table.add_row({"a", 10});
  ASSERT_NE(table.find(0, "total_ns"), nullptr);
  EXPECT_EQ(*table.find(0, "total_ns"), Cell(10));
  EXPECT_EQ(table.find(0, "nothing"), nullptr);
  EXPECT_EQ(table.find(1, "name"), nullptr);
}

TEST(Report, finds_a_table_by_name) {
  Report report;
  report.tables.push_back({.name = "kernels"});
  EXPECT_EQ(report.find_table("kernels"), &report.tables[0]);
  EXPECT_EQ(report.find_table("ranges"), nullptr);
}

}  // namespace
}  // namespace assay::trace
