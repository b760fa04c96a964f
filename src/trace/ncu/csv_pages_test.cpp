#include "trace/ncu/csv_pages.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/ncu/csv_columns.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

const std::string kRaw =
    "==PROF== Connected to process 846 (/usr/bin/python3.12)\n"
    "program output, with a comma\n"
    R"csv("ID","Process ID","Process Name","Host Name",)csv"
    R"csv("thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",)csv"
    R"csv("Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",)csv"
    R"csv("Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",)csv"
    R"csv("dram__bytes.sum.per_second","gpu__time_duration.sum","launch__func_cache_config",)csv"
    R"csv("smsp__inst_executed.sum","flop_count_hp.sum")csv"
    "\n"
    R"csv("","","","","","","","","","","","","","Tbyte/s","us","","inst","")csv"
    "\n"
    R"csv("0","846","python3.12","127.0.0.1",)csv"
    R"csv("846  ""<default domain>:outer:none:none:none:none:none:none""  )csv"
    R"csv(""D:request_2:original:none:none:none:none:none:none"" ",)csv"
    R"csv(" ""0:<default domain>:spanning: a range:none:none:none:none:none:none"" ",)csv"
    R"csv("void a::f<int, b::g>(T1 *, int)","1","7","(256, 1, 1)","(16, 32, 1)","0","9.0",)csv"
    R"csv("0.988262","178.752000","CachePreferNone","13,485","n/a")csv"
    "\n"
    "more output\n"
    R"csv("1","846","short record")csv"
    "\n";

TEST(NcuRawPage, is_read_in_base_units_from_between_other_output) {
  const NcuReport report = parse_ncu_csv(kRaw).value();
  EXPECT_EQ(report.source, NcuReport::Source::raw_page);
  ASSERT_EQ(report.launches.size(), 1U);
  const NcuLaunch& launch = report.launches[0];
  EXPECT_EQ(launch.metrics.size(), 5U);
  EXPECT_EQ(launch.number("dram__bytes.sum.per_second"), 988262000000.0);
  EXPECT_EQ(launch.find("dram__bytes.sum.per_second")->unit, "byte/s");
  EXPECT_EQ(launch.number("gpu__time_duration.sum"), 178752.0);
  EXPECT_EQ(launch.find("smsp__inst_executed.sum")->value, Cell(13485));
  EXPECT_EQ(launch.text("launch__func_cache_config"), "CachePreferNone");
  EXPECT_TRUE(launch.find("flop_count_hp.sum")->value.absent());
  EXPECT_EQ(report.diagnostics.count("line_outside_table"), 3U);
  EXPECT_EQ(report.diagnostics.count("record_of_wrong_length"), 1U);
}

TEST(NcuRawPage, is_read_where_numbers_have_decimal_commas) {
  std::string page = kRaw;
  for (const auto& [from, to] :
       {std::pair{"\"0.988262\"", "\"0,988262\""}, std::pair{"\"178.752000\"", "\"178,752000\""},
        std::pair{"\"13,485\"", "\"13.485\""}}) {
    page.replace(page.find(from), std::string(from).size(), to);
  }
  const NcuLaunch launch = parse_ncu_csv(page).value().launches.at(0);
  EXPECT_EQ(launch.number("dram__bytes.sum.per_second"), 988262000000.0);
  EXPECT_EQ(launch.number("gpu__time_duration.sum"), 178752.0);
  EXPECT_EQ(launch.find("smsp__inst_executed.sum")->value, Cell(13485));
  EXPECT_EQ(launch.compute_capability, "9.0");
}

TEST(NcuRawPage, identifies_the_launch_and_its_ranges) {
  const NcuLaunch launch = parse_ncu_csv(kRaw).value().launches.at(0);
  EXPECT_EQ(launch.function, "f");
  EXPECT_EQ(launch.grid->at(0), 16U);
  EXPECT_EQ(launch.block->at(0), 256U);
  EXPECT_EQ(launch.stream, 7U);
  EXPECT_EQ(launch.compute_capability, "9.0");
  ASSERT_EQ(launch.nvtx.size(), 3U);
  EXPECT_EQ(launch.nvtx[0].name, "outer");
  EXPECT_EQ(launch.nvtx[0].domain, "");
  EXPECT_EQ(launch.nvtx[0].thread, 846U);
  EXPECT_EQ(launch.nvtx[1].name, "request_2:original");
  EXPECT_EQ(launch.nvtx[1].domain, "D");
  EXPECT_EQ(launch.nvtx[2].name, "spanning: a range");
  EXPECT_EQ(launch.nvtx[2].kind, NcuNvtxRange::Kind::start_end);
}

const std::string kDetails =
    R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",)csv"
    R"csv("Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value",)csv"
    R"csv("Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup")csv"
    "\n"
    R"csv("0","5","p","h","k(int)","1","7","(32, 4, 1)","(224, 1, 1)","0","12.0",)csv"
    R"csv("GPU Speed Of Light Throughput","Memory Throughput","%","59.20",)csv"
    "\n"
    R"csv("0","5","p","h","k(int)","1","7","(32, 4, 1)","(224, 1, 1)","0","12.0",)csv"
    R"csv("SpeedOfLight","","","","SOLBottleneck","OPT","Balance, ""please"".","global","12.5")csv"
    "\n"
    R"csv("0","5","p","h","k(int)","1","7","(32, 4, 1)","(224, 1, 1)","0","12.0",)csv"
    R"csv("Memory Workload Analysis","Memory Throughput","Gbyte/s","147.15",)csv"
    "\n"
    R"csv("0","5","p","h","k(int)","1","7","(32, 4, 1)","(224, 1, 1)","0","12.0",)csv"
    R"csv("Memory Workload Analysis","SM Busy","%","3",)csv"
    "\n"
    R"csv("0","5","p","h","k(int)","1","7","(32, 4, 1)","(224, 1, 1)","0","12.0",)csv"
    R"csv("Command line profiler metrics","dram__bytes_read.sum","Mbyte","2.33",)csv"
    "\n"
    R"csv("GPU ID","GPU Name")csv"
    "\n"
    R"csv("1","5","p","h","k2","1","7","n/a","n/a","0","12.0",)csv"
    R"csv("GPU Speed Of Light Throughput","Duration (gpu__time_duration.sum)","ms","2.69",)csv"
    "\n";

TEST(NcuDetailsPage, gives_labels_their_metrics_by_section) {
  const NcuReport report = parse_ncu_csv(kDetails).value();
  EXPECT_EQ(report.source, NcuReport::Source::details_page);
  ASSERT_EQ(report.launches.size(), 2U);
  const NcuLaunch& launch = report.launches[0];
  EXPECT_EQ(launch.number("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
            59.2);
  EXPECT_EQ(launch.number("dram__bytes.sum.per_second"), 147.15e9);
  EXPECT_EQ(launch.number("dram__bytes_read.sum"), 2.33e6);
  EXPECT_EQ(launch.number("MemoryWorkloadAnalysis/SM Busy"), 3.0);
  EXPECT_EQ(report.launches[1].number("gpu__time_duration.sum"), 2.69e6);
  EXPECT_FALSE(report.launches[1].grid);
  EXPECT_EQ(report.diagnostics.count("record_of_wrong_length"), 1U);
}

TEST(NcuDetailsPage, collects_sections_and_rules) {
  const NcuReport report = parse_ncu_csv(kDetails).value();
  const NcuSection* section = report.find_section("SpeedOfLight");
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(section->header.at(0).label, "Memory Throughput");
  const NcuRule& rule = report.launches[0].rules.at(0);
  EXPECT_EQ(rule.id, "SOLBottleneck");
  EXPECT_EQ(rule.section_id, "SpeedOfLight");
  EXPECT_EQ(rule.messages.at(0).text, "Balance, \"please\".");
  EXPECT_EQ(rule.messages.at(0).kind, NcuRuleKind::optimization);
  EXPECT_EQ(rule.messages.at(0).speedup->percent, 12.5);
}

TEST(NcuCsv, without_a_page_is_refused) {
  EXPECT_EQ(parse_ncu_csv("a,b\n1,2\n").error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(parse_ncu_csv("").error().code(), ErrorCode::invalid_argument);
}

TEST(NvtxCell, without_ranges_or_with_nonsense_has_none) {
  EXPECT_TRUE(parse_nvtx_cell("", NcuNvtxRange::Kind::push_pop).empty());
  EXPECT_TRUE(parse_nvtx_cell("846 \"open", NcuNvtxRange::Kind::push_pop).empty());
  EXPECT_TRUE(parse_nvtx_cell("846 \"nocolon\"", NcuNvtxRange::Kind::push_pop).empty());
}

}  // namespace
}  // namespace assay::trace
