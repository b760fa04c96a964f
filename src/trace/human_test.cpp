#include "trace/human.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "trace/table.hpp"

namespace assay::trace {
namespace {

TEST(Humanize, scales_a_duration_to_its_own_unit) {
  EXPECT_EQ(humanize(999, ColumnType::duration), "999 ns");
  EXPECT_EQ(humanize(12.5, ColumnType::duration), "12.50 ns");
  EXPECT_EQ(humanize(1234, ColumnType::duration), "1.234 us");
  EXPECT_EQ(humanize(999960, ColumnType::duration), "1.000 ms");
  EXPECT_EQ(humanize(1733800000, ColumnType::duration), "1.734 s");
  EXPECT_EQ(humanize(7200000000000, ColumnType::duration), "7,200 s");
  EXPECT_EQ(humanize(-1500, ColumnType::duration), "-1.500 us");
  EXPECT_EQ(humanize(0, ColumnType::duration), "0 ns");
}

TEST(Humanize, uses_powers_of_a_thousand_for_bytes_and_rates) {
  EXPECT_EQ(humanize(1073741824, ColumnType::bytes), "1.074 GB");
  EXPECT_EQ(humanize(2.039e12, ColumnType::bytes_per_second), "2.039 TB/s");
  EXPECT_EQ(humanize(1610612736, ColumnType::flop), "1.611 GFLOP");
  EXPECT_EQ(humanize(989.4e12, ColumnType::flop_per_second), "989.4 TFLOP/s");
  EXPECT_EQ(humanize(1.593e9, ColumnType::hertz), "1.593 GHz");
}

TEST(Humanize, groups_the_digits_of_integers) {
  EXPECT_EQ(humanize(1234567, ColumnType::integer), "1,234,567");
  EXPECT_EQ(humanize(-123, ColumnType::integer), "-123");
  EXPECT_EQ(humanize(2168.0, ColumnType::integer), "2,168");
  EXPECT_EQ(humanize(2.5, ColumnType::integer), "2.500");
  EXPECT_EQ(humanize(-123456, ColumnType::integer), "-123,456");
  EXPECT_EQ(humanize(std::numeric_limits<std::uint64_t>::max(), ColumnType::integer),
            "18,446,744,073,709,551,615");
}

TEST(Humanize, shows_reals_and_percentages_briefly) {
  EXPECT_EQ(humanize(12.345, ColumnType::percent), "12.3%");
  EXPECT_EQ(humanize(0.12345, ColumnType::real), "0.1235");
  EXPECT_EQ(humanize(123.456, ColumnType::real), "123.5");
  EXPECT_EQ(humanize(123456.7, ColumnType::real), "123,457");
  EXPECT_EQ(humanize(1.5e-9, ColumnType::real), "1.500e-09");
}

TEST(Humanize, shows_what_is_absent_or_not_finite_as_a_dash) {
  EXPECT_EQ(humanize(Cell(), ColumnType::duration), "-");
  EXPECT_EQ(humanize(std::numeric_limits<double>::infinity(), ColumnType::real), "-");
}

TEST(Humanize, leaves_text_alone) {
  EXPECT_EQ(humanize("n/a", ColumnType::real), "n/a");
}

}  // namespace
}  // namespace assay::trace
