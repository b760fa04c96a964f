#include "trace/ncu/rep_reader.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using testing::rep_block;
using testing::rep_start;
using testing::WireWriter;
using testing::write_ncu_rep;

NcuReport sample() {
  NcuReport report;
  report.session = {.created_unix_s = 1745306110,
                    .command_line = "ncu -o x ./a.out",
                    .target = {.os = "Linux", .processor = "a processor", .name = "host"},
                    .versions = {{"CUDA Version", "12.8"}},
                    .devices = {{.id = 0, .name = "a GPU"}}};
  report.sections = {{.id = "SpeedOfLight",
                      .name = "GPU Speed Of Light Throughput",
                      .description = "overview",
                      .order = 10,
                      .sets = {"basic", "full"},
                      .header = {{"gpu__time_duration.sum", "Duration"}},
                      .body = {{"dram__bytes.sum.per_second", "DRAM"}}}};
  NcuLaunch launch{.name = "void f<int>(int *)",
                   .function = "f",
                   .mangled = "_Z1fIiEvPi",
                   .grid = {{16, 32, 1}},
                   .block = {{256, 1, 1}},
                   .process_id = 42,
                   .process_name = "a.out",
                   .host_name = "127.0.0.1",
                   .context = 1,
                   .stream = 7,
                   .created_unix_s = 1745306111};
  launch.metrics = {{.name = "gpu__time_duration.sum", .value = 178752.0},
                    {.name = "dram__bytes.sum.per_second", .value = 988262083780.8807},
                    {.name = "device__attribute_compute_capability_major", .value = 9},
                    {.name = "device__attribute_compute_capability_minor", .value = 0},
                    {.name = "launch__func_cache_config", .value = "CachePreferNone"},
                    {.name = "inst_executed",
                     .value = 12,
                     .instances = {{Cell(0x7f00), Cell(5)}, {Cell("line"), Cell(7)}}},
                    {.name = "pmsampling:absent", .instances = {{Cell(1), Cell(2.5)}}}};
  launch.sections = {0};
  launch.rules = {
      {.id = "SOLBottleneck",
       .name = "Bottleneck",
       .section_id = "SpeedOfLight",
       .messages = {{.kind = NcuRuleKind::optimization,
                     .title = "High",
                     .text = "See @section:Occupancy:the table@ and @url:guide:https://x/y@.",
                     .speedup = NcuSpeedup{NcuSpeedup::Scope::global, 12.5}},
                    {.kind = NcuRuleKind::ok, .text = "fine@home"}},
       .focus = {{"dram__bytes.sum", 3.0, "less is better"}}}};
  launch.nvtx = {{.name = "outer", .thread = 42},
                 {.domain = "MPI", .name = "send", .thread = 42},
                 {.kind = NcuNvtxRange::Kind::start_end, .name = "a: b", .thread = 9}};
  report.launches = {launch, launch};
  return report;
}

TEST(NcuRep, gives_back_every_metric_with_its_base_unit) {
  const NcuReport report = parse_ncu_rep(write_ncu_rep(sample())).value();
  ASSERT_EQ(report.launches.size(), 2U);
  EXPECT_TRUE(report.diagnostics.empty());
  const NcuLaunch& launch = report.launches[1];
  EXPECT_EQ(launch.metrics.size(), 7U);
  EXPECT_EQ(launch.find("gpu__time_duration.sum")->unit, "ns");
  EXPECT_EQ(launch.number("dram__bytes.sum.per_second"), 988262083780.8807);
  EXPECT_EQ(launch.text("launch__func_cache_config"), "CachePreferNone");
  const NcuMetric* instanced = launch.find("inst_executed");
  ASSERT_EQ(instanced->instances.size(), 2U);
  EXPECT_EQ(instanced->instances[1].correlation_id, Cell("line"));
  EXPECT_EQ(instanced->instances[1].value, Cell(7));
  EXPECT_TRUE(launch.find("pmsampling:absent")->value.absent());
  EXPECT_EQ(launch.find("no_such_metric"), nullptr);
  EXPECT_FALSE(launch.number("launch__func_cache_config"));
}

TEST(NcuRep, gives_back_the_launch_and_its_ranges) {
  const NcuReport report = parse_ncu_rep(write_ncu_rep(sample())).value();
  const NcuLaunch& launch = report.launches[1];
  EXPECT_EQ(launch.id, 1U);
  EXPECT_EQ(launch.name, "void f<int>(int *)");
  EXPECT_EQ(launch.function, "f");
  EXPECT_EQ(launch.grid->at(1), 32U);
  EXPECT_EQ(launch.process_id, 42U);
  EXPECT_EQ(launch.stream, 7U);
  EXPECT_EQ(launch.compute_capability, "9.0");
  ASSERT_EQ(launch.nvtx.size(), 3U);
  EXPECT_EQ(launch.nvtx[0].domain, "");
  EXPECT_EQ(launch.nvtx[1].domain, "MPI");
  EXPECT_EQ(launch.nvtx[2].name, "a: b");
  EXPECT_EQ(launch.nvtx[2].kind, NcuNvtxRange::Kind::start_end);
}

TEST(NcuRep, keeps_a_section_once_for_all_launches) {
  const NcuReport report = parse_ncu_rep(write_ncu_rep(sample())).value();
  ASSERT_EQ(report.sections.size(), 1U);
  EXPECT_EQ(report.launches[0].sections, report.launches[1].sections);
  const NcuSection* section = report.find_section("SpeedOfLight");
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(section->sets, (std::vector<std::string>{"basic", "full"}));
  EXPECT_EQ(section->header[0].label, "Duration");
  ASSERT_EQ(section->body.size(), 1U);
  EXPECT_EQ(section->body[0].name, "dram__bytes.sum.per_second");
  EXPECT_EQ(report.find_section("Nothing"), nullptr);
}

TEST(NcuRep, gives_back_rules_without_their_markup) {
  const NcuReport report = parse_ncu_rep(write_ncu_rep(sample())).value();
  const NcuRule& rule = report.launches[0].rules.at(0);
  ASSERT_EQ(rule.messages.size(), 2U);
  EXPECT_EQ(rule.messages[0].text, "See the table and guide (https://x/y).");
  EXPECT_EQ(rule.messages[0].speedup->percent, 12.5);
  EXPECT_EQ(rule.messages[0].speedup->scope, NcuSpeedup::Scope::global);
  EXPECT_EQ(rule.messages[1].kind, NcuRuleKind::ok);
  EXPECT_EQ(rule.messages[1].text, "fine@home");
  EXPECT_FALSE(rule.messages[1].speedup);
  EXPECT_EQ(rule.focus.at(0).info, "less is better");
}

TEST(NcuRep, gives_back_the_session) {
  const NcuReport report = parse_ncu_rep(write_ncu_rep(sample())).value();
  EXPECT_EQ(report.session.command_line, "ncu -o x ./a.out");
  EXPECT_EQ(report.session.created_unix_s, 1745306110);
  EXPECT_EQ(report.session.target.processor, "a processor");
  EXPECT_EQ(report.session.versions.at(0).version, "12.8");
  EXPECT_EQ(report.session.devices.at(0).name, "a GPU");
}

TEST(NcuRep, names_a_kernel_without_a_demangled_name_by_its_function) {
  NcuReport report;
  report.launches = {{.function = "nvjet_sm90"}, {.mangled = "_Zx"}};
  const NcuReport read = parse_ncu_rep(write_ncu_rep(report)).value();
  EXPECT_EQ(read.launches[0].name, "nvjet_sm90");
  EXPECT_EQ(read.launches[1].name, "_Zx");
}

TEST(NcuRep, resolves_a_registered_range_name) {
  const auto domain = WireWriter().integer(1, 3).bytes(2, "D").message(
      3, WireWriter().integer(1, 77).bytes(2, "registered"));
  const auto attributes = WireWriter().message(5, WireWriter().integer(1, 3).integer(3, 77));
  const auto range = WireWriter().bytes(1, "").message(2, attributes);
  const auto thread =
      WireWriter().integer(1, 5).message(2, WireWriter().integer(1, 3).message(3, range));
  const auto result =
      WireWriter().message(21, WireWriter().message(2, thread).message(1, domain)).text();
  const NcuReport report =
      parse_ncu_rep(rep_start() + rep_block(WireWriter().integer(2, 1), {result})).value();
  ASSERT_EQ(report.launches.at(0).nvtx.size(), 1U);
  EXPECT_EQ(report.launches[0].nvtx[0].name, "registered");
  EXPECT_EQ(report.launches[0].nvtx[0].domain, "D");
}

TEST(NcuRep, tells_ranges_and_graphs_from_kernels) {
  const auto metric = WireWriter().integer(1, 0).message(2, WireWriter().integer(5, 3));
  const std::string result = WireWriter().message(4, metric).integer(11, 1).text();
  const auto header =
      WireWriter().integer(7, 1).integer(9, 1).message(4, WireWriter().bytes(1, "inst_executed"));
  const NcuReport report = parse_ncu_rep(rep_start() + rep_block(header, {result, result})).value();
  ASSERT_EQ(report.launches.size(), 2U);
  EXPECT_EQ(report.launches[0].workload, NcuWorkload::range);
  EXPECT_EQ(report.launches[0].name, "range");
  EXPECT_EQ(report.launches[1].workload, NcuWorkload::graph);
  EXPECT_EQ(report.launches[1].number("inst_executed"), 3.0);
}

TEST(NcuRep, counts_what_is_damaged_inside_a_message) {
  const auto nameless = WireWriter().integer(1, 99);
  const std::string result = WireWriter().message(13, nameless).bytes(13, "\x0B").text() + "\x7F";
  const NcuReport report =
      parse_ncu_rep(rep_start() + rep_block(WireWriter().integer(2, 1), {result, "extra"})).value();
  EXPECT_EQ(report.launches.size(), 1U);
  EXPECT_EQ(report.diagnostics.count("metric_without_name"), 2U);
  EXPECT_EQ(report.diagnostics.count("malformed_metric"), 1U);
  EXPECT_EQ(report.diagnostics.count("malformed_result"), 1U);
  EXPECT_EQ(report.diagnostics.count("unknown_message"), 1U);
}

TEST(NcuRep, cut_short_anywhere_is_an_error_or_whole_blocks) {
  const std::string whole = write_ncu_rep(sample());
  std::size_t readable = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto report = parse_ncu_rep(std::string_view(whole).substr(0, size));
    readable += report ? 1 : 0;
    if (report) continue;
    const ErrorCode expected = size < 4 ? ErrorCode::invalid_argument : ErrorCode::data_loss;
    EXPECT_EQ(report.error().code(), expected) << size;
  }
  EXPECT_EQ(readable, 3U);  // after the file header, the session and the first launch
}

TEST(NcuRep, of_another_kind_of_file_is_refused) {
  EXPECT_EQ(parse_ncu_rep("SQLite format 3").error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::trace
