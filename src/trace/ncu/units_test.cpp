#include "trace/ncu/units.hpp"

#include <cstdint>
#include <string_view>
#include <tuple>

#include <gtest/gtest.h>

#include "trace/table.hpp"

namespace assay::trace {
namespace {

void expect_scale(std::string_view printed, std::string_view base, int exponent) {
  const UnitScale scale = to_base_unit(printed);
  EXPECT_EQ(scale.base, base) << printed;
  EXPECT_EQ(scale.exponent, exponent) << printed;
}

TEST(Unit, of_each_spelling_has_its_base) {
  expect_scale("ms", "ns", 6);
  expect_scale("usecond", "ns", 3);
  expect_scale("second", "ns", 9);
  expect_scale("Mbyte", "byte", 6);
  expect_scale("Tbyte/s", "byte/s", 12);
  expect_scale("Gbyte/second", "byte/s", 9);
  expect_scale("byte/ns", "byte/s", 9);
  expect_scale("sector/us", "sector/s", 6);
  expect_scale("Kbyte/cycle", "byte/cycle", 3);
  expect_scale("Kbyte/block", "byte/block", 3);
  expect_scale("Ghz", "Hz", 9);
  expect_scale("hz", "Hz", 0);
  expect_scale("cycle/nsecond", "Hz", 9);
  expect_scale("%", "%", 0);
  expect_scale("register/thread", "register/thread", 0);
  expect_scale("", "", 0);
}

TEST(Unit, below_a_slash_scales_as_the_tool_scales_it) {
  // ncu prints the value 8190 %/byte as "8.190000 %/Kbyte".
  expect_scale("%/Kbyte", "%/byte", 3);
  EXPECT_EQ(parse_printed_number("8.190000", 3), Cell(8190.0));
}

TEST(PrintedNumber, is_scaled_without_rounding) {
  EXPECT_EQ(parse_printed_number("178.752000", 3), Cell(178752.0));
  EXPECT_EQ(parse_printed_number("0.988262", 12), Cell(988262000000.0));
  EXPECT_EQ(parse_printed_number("2.33", 6), Cell(2330000.0));
  EXPECT_EQ(parse_printed_number("1.5e2", 3), Cell(150000.0));
}

TEST(PrintedNumber, keeps_integers_exact_and_drops_commas) {
  EXPECT_EQ(parse_printed_number("13,485", 0), Cell(13485));
  EXPECT_EQ(parse_printed_number("18446744073709551615", 0), Cell(UINT64_MAX));
  EXPECT_EQ(parse_printed_number("-7", 0), Cell(-7));
  EXPECT_EQ(parse_printed_number("988,262,083,780.88", 0), Cell(988262083780.88));
}

TEST(PrintedNumber, refuses_what_is_none) {
  for (const std::string_view text : {"", "-", "e5", "1.2.3", "0x10", "NVIDIA H200", "9e"}) {
    EXPECT_FALSE(parse_printed_number(text, 0)) << text;
  }
}

TEST(PrintedValue, is_absent_for_every_way_to_say_so) {
  for (const std::string_view text : {"", "n/a", "no data", "nan", "-inf"}) {
    EXPECT_TRUE(parse_printed_value(text, 0).absent()) << text;
  }
  EXPECT_EQ(parse_printed_value("CachePreferNone", 0), Cell("CachePreferNone"));
}

TEST(UnitOfMetric, follows_from_its_name) {
  using Pair = std::tuple<std::string_view, std::string_view>;
  for (const auto& [name, unit] :
       {Pair{"gpu__time_duration.sum", "ns"},
        Pair{"dram__bytes_read.sum", "byte"},
        Pair{"dram__bytes.sum.per_second", "byte/s"},
        Pair{"dram__bytes.sum.peak_sustained", "byte/cycle"},
        Pair{"gpc__cycles_elapsed.avg.per_second", "Hz"},
        Pair{"gpc__cycles_elapsed.max", "cycle"},
        Pair{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
        Pair{"l1tex__t_sector_hit_rate.pct", "%"},
        Pair{"sm__maximum_warps_per_active_cycle_pct", "%"},
        Pair{"launch__shared_mem_per_block_dynamic", "byte/block"},
        Pair{"launch__registers_per_thread", "register/thread"},
        Pair{"launch__occupancy_limit_registers", "block"},
        Pair{"smsp__inst_executed.sum", "inst"},
        Pair{"sm__inst_executed.avg.per_cycle_active", "inst/cycle"},
        Pair{"lts__t_sectors.sum.per_second", "sector/s"},
        Pair{"pmsampling:l1tex__t_sector_hit_rate.pct", "%"},
        Pair{"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "byte/sector"},
        Pair{"smsp__average_warps_active_per_inst_executed.ratio", ""},
        Pair{"breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed", ""},
        Pair{"device__attribute_max_gpu_frequency_khz", ""},
        Pair{"launch__grid_size", ""}}) {
    EXPECT_EQ(unit_of_metric(name), unit) << name;
  }
}

TEST(Decimal, is_told_by_numbers_that_can_be_nothing_else) {
  for (const std::string_view page : {R"csv("9.0","3,20")csv", R"csv("13.485,50")csv",
                                      R"csv("5.323.028","1,5")csv", R"csv("178,752000")csv"}) {
    EXPECT_EQ(decimal_of_page(page), Decimal::comma) << page;
  }
  for (const std::string_view page :
       {R"csv("13,485","9.0")csv", R"csv("1,234.50","3,20")csv", R"csv("1,2","0.988262")csv",
        R"csv("(16, 32, 1)")csv", R"csv("5,323,028")csv", R"csv("void f<4,2>(int)","a,b")csv"}) {
    EXPECT_EQ(decimal_of_page(page), Decimal::point) << page;
  }
}

TEST(PrintedNumber, may_have_a_decimal_comma) {
  EXPECT_EQ(parse_printed_number("13.485", 0, Decimal::comma), Cell(13485));
  EXPECT_EQ(parse_printed_number("3,20", 3, Decimal::comma), Cell(3200.0));
  EXPECT_EQ(parse_printed_number("1.234,5", 0, Decimal::comma), Cell(1234.5));
}

}  // namespace
}  // namespace assay::trace
