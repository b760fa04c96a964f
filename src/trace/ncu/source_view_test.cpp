#include "trace/ncu/source_view.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/testkit/checkout.hpp"
#include "trace/ncu/analyze.hpp"
#include "trace/ncu/cubin.hpp"
#include "trace/ncu/cubin_fixture.hpp"
#include "trace/ncu/merge.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/rep_reader.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sass.hpp"
#include "trace/ncu/work.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using testing::FixtureFunction;
using testing::write_cubin;
using testing::write_ncu_rep;

constexpr std::uint64_t kAddress = 0x7f0000001000;

const FixtureFunction kSilu = {.name = "_Z4siluPf",
                               .instructions = {{.opcode = 0x981, .line = 12},
                                                {.opcode = 0x220, .file = 2, .line = 40},
                                                {.opcode = 0x308, .line = 13},
                                                {.opcode = 0x986, .line = 14},
                                                {.opcode = 0x94d, .line = 15}}};
const FixtureFunction kOtherFunction = {.name = "_Z5otherPf",
                                        .instructions = {{.opcode = 0x223, .line = 99}}};

NcuMetric by_address(std::string name, const std::vector<std::pair<int, int>>& values) {
  NcuMetric metric{.name = std::move(name), .value = 0};
  for (const auto& [instruction, value] : values) {
    metric.instances.push_back(
        {Cell(kAddress + 16 * static_cast<std::uint64_t>(instruction)), Cell(value)});
  }
  return metric;
}

/// A launch of silu, whose warps wait where what LDG asked for is needed.
NcuReport silu_report(const std::string& cubin) {
  NcuReport report;
  report.modules = {{.cubin = cubin,
                     .files = {{.name = "/src/silu.cu", .content = "// 1\n// 2\n"}},
                     .functions = {{"_Z4siluPf", kAddress}}}};
  std::string& text = report.modules[0].files[0].content;
  for (int line = 3; line <= 15; ++line) text += "  line " + std::to_string(line) + ";\n";
  NcuLaunch launch{.name = "silu(float *)", .function = "silu", .mangled = "_Z4siluPf"};
  launch.module = 0;
  launch.compute_capability = "9.0";
  launch.metrics = {
      {.name = "launch__function_pcs", .value = 1, .instances = {{Cell(0), Cell(kAddress)}}},
      by_address("smsp__pcsamp_sample_count", {{0, 50}, {1, 700}, {2, 150}, {3, 100}}),
      by_address("smsp__pcsamp_warps_issue_stalled_long_scoreboard", {{1, 600}, {3, 10}}),
      by_address("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued", {{1, 500}}),
      by_address("smsp__pcsamp_warps_issue_stalled_selected", {{0, 50}, {1, 100}, {3, 90}}),
      by_address("smsp__pcsamp_warps_issue_stalled_wait", {{2, 150}}),
      by_address("inst_executed", {{0, 64}, {1, 64}, {2, 64}, {3, 64}, {4, 64}}),
      by_address("thread_inst_executed_true", {{0, 2048}, {1, 1024}, {2, 2048}, {3, 2048}}),
      by_address("memory_l2_theoretical_sectors_global", {{0, 800}, {3, 200}}),
      by_address("memory_l2_theoretical_sectors_global_ideal", {{0, 200}, {3, 200}})};
  launch.sort_metrics();
  report.launches = {launch};
  return report;
}

NcuReport with_lines() {
  return parse_ncu_rep(write_ncu_rep(silu_report(
                           write_cubin({kOtherFunction, kSilu}, {"silu.cu", "math.h"}))))
      .value();
}

TEST(Cubin, finds_a_function_and_the_lines_of_its_instructions) {
  const std::string cubin = write_cubin({kOtherFunction, kSilu}, {"silu.cu", "math.h"});
  const auto silu = find_cubin_function(cubin, "_Z4siluPf");
  ASSERT_TRUE(silu);
  EXPECT_EQ(silu->code.size(), 5 * kInstructionBytes);
  const LineMark* second = silu->line_at(16);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(silu->files.at(second->file), "/src/math.h");
  EXPECT_EQ(second->line, 40U);
  EXPECT_EQ(silu->line_at(0)->line, 12U);
  EXPECT_EQ(silu->line_at(79)->line, 15U);
  EXPECT_EQ(find_cubin_function(cubin, "_Z5otherPf")->line_at(0)->line, 99U);
  EXPECT_FALSE(find_cubin_function(cubin, "absent"));
}

TEST(Cubin, that_is_damaged_gives_less_and_breaks_nothing) {
  const std::string whole = write_cubin({kOtherFunction, kSilu}, {"silu.cu"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(find_cubin_function(whole.substr(0, size), "_Z4siluPf")) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char damage : {'\x00', '\x7f', '\xff'}) {
      std::string hurt = whole;
      hurt[at] = damage;
      const auto found = find_cubin_function(hurt, "_Z4siluPf");
      if (!found) continue;
      for (std::uint64_t offset = 0; offset < found->code.size(); offset += 16) {
        const LineMark* mark = found->line_at(offset);
        if (mark != nullptr) {
          EXPECT_LT(mark->file, found->files.size()) << at;
        }
      }
    }
  }
}

TEST(Sass, names_instructions_and_says_which_it_does_not_know) {
  const auto coded = [](std::uint16_t opcode) {
    std::string bytes(16, '\0');
    bytes[0] = static_cast<char>(opcode & 0xFFU);
    bytes[1] = static_cast<char>(0x70U | (opcode >> 8U));
    return bytes;
  };
  EXPECT_EQ(sass_name(coded(0x981), "9.0"), "LDG");
  EXPECT_EQ(sass_name(coded(0x381), "7.0"), "LDG") << "another form of it";
  EXPECT_EQ(sass_name(coded(0x435), "9.0"), "HFMA2");
  EXPECT_EQ(sass_name(coded(0x435), "12.0"), "IADD");
  EXPECT_EQ(sass_name(coded(0x1f7), "9.0"), "opcode 0x1f7");
  EXPECT_EQ(sass_name("short", "9.0"), "");
}

TEST(SourceView, joins_counters_with_code_and_lines) {
  const auto instructions = instructions_of(with_lines());
  ASSERT_EQ(instructions.size(), 1U);
  ASSERT_EQ(instructions[0].size(), 5U);
  const InstructionCounters& second = instructions[0][1];
  EXPECT_EQ(second.offset, 16U);
  EXPECT_EQ(second.sass, "FMUL");
  EXPECT_EQ(second.file, "/src/math.h");
  EXPECT_EQ(second.line, 40U);
  EXPECT_EQ(second.samples, 700);
  ASSERT_FALSE(second.stalls.empty());
  EXPECT_EQ(second.stalls[0].reason, "long_scoreboard");
  EXPECT_EQ(second.stalls[0].samples, 600) << "what was not issued is a part of it";
  EXPECT_EQ(instructions[0][0].sectors, 800);
}

TEST(SourceView, lists_lines_by_samples_with_their_text) {
  const NcuReport report = with_lines();
  const Table lines = ncu_line_table(report, instructions_of(report));
  ASSERT_EQ(lines.rows.size(), 5U);
  EXPECT_EQ(*lines.find(0, "line"), Cell("math.h:40"));
  EXPECT_EQ(lines.find(0, "samples_pct")->number(), 70);
  EXPECT_EQ(*lines.find(0, "stall"), Cell("long scoreboard"));
  EXPECT_EQ(*lines.find(0, "source"), Cell("")) << "the report does not keep that file";
  std::size_t load = 0;
  while (*lines.find(load, "line") != Cell("silu.cu:12")) ++load;
  EXPECT_EQ(*lines.find(load, "source"), Cell("line 12;"));
  EXPECT_EQ(*lines.find(load, "sass"), Cell("LDG"));
  EXPECT_EQ(lines.find(load, "excess_sectors_pct")->number(), 75);
}

TEST(SourceView, lists_instructions_in_order_or_the_worst_of_them) {
  const NcuReport report = with_lines();
  const auto instructions = instructions_of(report);
  const Table all = ncu_instruction_table(report, instructions);
  ASSERT_EQ(all.rows.size(), 5U);
  EXPECT_EQ(*all.find(0, "offset"), Cell("0x0000"));
  EXPECT_EQ(all.find(1, "threads_per_warp")->number(), 16);
  const Table most = ncu_instruction_table(report, instructions, 2);
  ASSERT_EQ(most.rows.size(), 2U);
  EXPECT_EQ(*most.find(0, "sass"), Cell("FMUL"));
  EXPECT_EQ(*most.find(1, "sass"), Cell("MUFU"));
}

TEST(SourceView, says_where_warps_wait_and_why) {
  NcuReport report = with_lines();
  report.launches.push_back(report.launches[0]);
  const auto found = hot_spots(report, instructions_of(report));
  ASSERT_EQ(found.size(), 1U) << "the same of two launches is told once";
  EXPECT_EQ(found[0].message,
            "70.0% of the samples are at one instruction, FMUL, math.h:40, offset 0x0010: warps "
            "wait there for data from L2 or device memory.");
}

TEST(SourceView, of_code_without_lines_names_instructions) {
  const NcuReport report =
      parse_ncu_rep(write_ncu_rep(silu_report(write_cubin({kSilu}, {})))).value();
  const auto instructions = instructions_of(report);
  EXPECT_EQ(instructions[0][0].sass, "LDG");
  EXPECT_TRUE(ncu_line_table(report, instructions).rows.empty());
  const Report shown = analyze_ncu(report, "x", {.source = true}).value();
  EXPECT_NE(shown.find_table("instructions"), nullptr);
  EXPECT_NE(shown.find_table("instructions")->notes.back().find("-lineinfo"), std::string::npos);
}

TEST(SourceView, without_code_still_has_offsets) {
  NcuReport report = silu_report("");
  report.modules.clear();
  report.launches[0].module.reset();
  const auto instructions = instructions_of(report);
  EXPECT_EQ(instructions[0][1].offset, 16U);
  EXPECT_EQ(instructions[0][1].sass, "");
}

TEST(SourceView, of_reports_that_counted_nothing_by_instruction_is_refused_with_what_to_collect) {
  NcuReport report = silu_report("");
  report.launches[0].metrics = {{.name = "gpu__time_duration.sum", .value = 1.0}};
  const auto shown = analyze_ncu(report, "x", {.source = true});
  ASSERT_FALSE(shown);
  EXPECT_EQ(shown.error().code(), ErrorCode::not_found);
  EXPECT_NE(shown.error().message().find("SourceCounters"), std::string::npos);
  EXPECT_EQ(analyze_ncu(report, "x").value().find_table("stalls"), nullptr);
}

TEST(SourceView, launches_of_merged_reports_keep_their_code) {
  const NcuReport merged =
      merge_reports({silu_report(write_cubin({kOtherFunction}, {})),
                     silu_report(write_cubin({kSilu}, {"silu.cu", "math.h"}))});
  const auto instructions = instructions_of(merged);
  EXPECT_EQ(instructions.at(0).at(0).sass, "") << "its module has no such function";
  EXPECT_EQ(instructions.at(1).at(0).sass, "LDG");
}

TEST(HalfMoves, are_taken_out_of_the_work_where_the_code_tells_them) {
  // A constant loaded by HFMA2, and one HFMA2 that multiplies.
  FixtureFunction half{.name = "_Z4siluPf",
                       .instructions = {{.opcode = 0x435}, {.opcode = 0x435}, {.opcode = 0x223}}};
  std::string cubin = write_cubin({half}, {});
  cubin[64 + 3] = '\xff';  // the first instruction's first factor is RZ
  NcuReport report = silu_report(cubin);
  report.launches[0].metrics = {
      {.name = "launch__function_pcs", .value = 1, .instances = {{Cell(0), Cell(kAddress)}}},
      {.name = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", .value = 1000.0},
      {.name = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", .value = 700.0},
      by_address("thread_inst_executed_true", {{0, 400}, {1, 300}, {2, 1000}})};
  const NcuReport read = parse_ncu_rep(write_ncu_rep(report)).value();
  EXPECT_EQ(read.launches[0].half_moves, 400);
  const LaunchWork work = measure_work(read.launches[0]);
  EXPECT_EQ(work.cuda_flop(), 2 * 1000 + 4 * 300) << "two to a float, four to a pair of halves";
}

TEST(HalfMoves, are_not_known_without_code) {
  NcuReport report = silu_report("");
  const NcuReport read = parse_ncu_rep(write_ncu_rep(report)).value();
  EXPECT_FALSE(read.launches[0].half_moves);
}

TEST(SourceViewRealData, agrees_with_the_disassembler_on_a_report_of_an_h100) {
  const auto file = testkit::shared_data() / "ncu_rep" / "cs599k_rms_norm_matrix_float4.ncu-rep";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no report at " << file;
  const NcuReport report = parse_ncu_rep(read_file(file).value()).value();
  const auto instructions = instructions_of(report);
  ASSERT_EQ(instructions.size(), 4U);
  ASSERT_EQ(instructions[0].size(), 367U);
  // As nvdisasm has the first six.
  const std::vector<std::string> begins = {"LDC", "S2UR", "LDC", "ISETP", "EXIT", "LDC"};
  for (std::size_t i = 0; i < begins.size(); ++i) {
    EXPECT_EQ(instructions[0][i].sass, begins[i]) << i;
  }
  for (const LaunchInstructions& launch : instructions) {
    EXPECT_EQ(launch.at(0).sass, "LDC") << "their module is told with its code once";
  }
  for (const InstructionCounters& one : instructions[0]) {
    EXPECT_EQ(one.sass.find("opcode"), std::string::npos) << one.offset;
    if (one.sectors > 0) {
      EXPECT_TRUE(one.sass == "LDG" || one.sass == "STG") << one.sass << " at " << one.offset;
    }
    double stalled = 0;
    for (const StallCount& stall : one.stalls) stalled += stall.samples;
    EXPECT_EQ(stalled, one.samples) << "at " << one.offset;
  }
  // All its HFMA2 move constants: the metric counts 4.718 a cycle, over 444490.19 cycles.
  EXPECT_EQ(report.launches[0].half_moves, 2097157);
  for (const MathPath& path : measure_work(report.launches[0]).paths) {
    EXPECT_NE(path.name, "fp16 CUDA cores") << path.flop;
  }
}

}  // namespace
}  // namespace assay::trace
