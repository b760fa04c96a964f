#include "trace/events/nsys_sqlite.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"

namespace assay::trace {
namespace {

Trace read(const NsysFixture& fixture, const NsysOptions& options = {}) {
  auto trace = read_nsys_sqlite(fixture.image(), options);
  EXPECT_TRUE(trace.has_value()) << (trace ? "" : trace.error().message());
  return trace ? *std::move(trace) : Trace();
}

class EveryRelease : public testing::TestWithParam<NsysRelease> {};

TEST_P(EveryRelease, is_read_with_its_own_tables_and_columns) {
  NsysFixture fixture(GetParam());
  fixture.range({.start = 0, .end = 100, .name = "step"});
  fixture.launch({.call_start = 10, .call_end = 12, .start = 20, .end = 30, .name = "k"});
  fixture.call({.start = 13, .end = 14, .name = "cudaMemcpyAsync_v3020", .correlation = 3});
  fixture.copy({.start = 40, .end = 50, .bytes = 64, .correlation = 3});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.kernels.size(), 1U);
  EXPECT_EQ(trace.kernels.call[0], 0U);
  EXPECT_EQ(trace.copies.bytes[0], 64U);
  EXPECT_EQ(trace.strings.view(trace.ranges.name[0]), "step");
  EXPECT_EQ(trace.capture.product, "NVIDIA Nsight Systems 2099.1");
  EXPECT_FALSE(trace.capture.schema.empty());
  EXPECT_TRUE(trace.diagnostics.empty());
}

INSTANTIATE_TEST_SUITE_P(NsysSqlite, EveryRelease,
                         testing::Values(NsysRelease::v2_9, NsysRelease::v3_0, NsysRelease::v3_13,
                                         NsysRelease::v3_17, NsysRelease::v3_25));

TEST(NsysSqlite, reads_a_file_as_it_reads_an_image) {
  const auto folder = TempDir::create(std::filesystem::temp_directory_path(), "nsys").value();
  const auto path = folder.path() / "run 100%?#.sqlite";
  NsysFixture fixture;
  fixture.launch({.call_start = 10, .call_end = 12, .start = 20, .end = 30, .name = "k"});
  fixture.write(path);
  const auto trace = read_nsys_sqlite(path);
  ASSERT_TRUE(trace.has_value()) << trace.error().message();
  EXPECT_EQ(trace->kernels.size(), 1U);
  EXPECT_EQ(trace->calls.size(), 1U);
  EXPECT_EQ(trace->capture.file, path.string());
}

TEST(NsysSqlite, a_table_large_enough_to_be_read_in_parts_is_read_as_a_whole) {
  constexpr std::size_t kKernels = 120'000;
  NsysFixture fixture;
  for (std::size_t i = 0; i < kKernels; ++i) {
    const auto start = static_cast<std::int64_t>(10 * i);
    // Names, streams and graph nodes that only some parts hold.
    fixture.kernel({.start = start,
                    .end = start + 5,
                    .name = i < kKernels / 2 ? "early" : "late",
                    .stream = i < kKernels - 1 ? 7 : 9,
                    .graph_node = i == kKernels / 2 ? 3U : 0U});
  }
  const Trace trace = read(fixture);
  ASSERT_EQ(trace.kernels.size(), kKernels);
  ASSERT_EQ(trace.kernels.graph_node.size(), kKernels);
  EXPECT_EQ(trace.functions.size(), 2U);
  EXPECT_EQ(trace.queues.size(), 2U);
  EXPECT_EQ(trace.shapes.size(), 1U);
  for (std::size_t i = 0; i < kKernels; ++i) {
    ASSERT_EQ(trace.kernels.start[i], static_cast<std::int64_t>(10 * i));
    ASSERT_EQ(trace.function_name(trace.kernels.function[i]), i < kKernels / 2 ? "early" : "late");
    ASSERT_EQ(trace.queues[trace.kernels.queue[i]].stream, i < kKernels - 1 ? 7 : 9);
    ASSERT_EQ(trace.kernels.graph_node[i], i == kKernels / 2 ? 3U : 0U);
  }
}

TEST(NsysSqlite, a_file_that_is_absent_is_not_found) {
  EXPECT_EQ(read_nsys_sqlite(std::filesystem::path("/nowhere/x.sqlite")).error().code(),
            ErrorCode::not_found);
}

TEST(NsysSqlite, a_file_that_is_no_database_is_data_loss) {
  const auto folder = TempDir::create(std::filesystem::temp_directory_path(), "nsys").value();
  const auto path = folder.path() / "x.sqlite";
  std::ofstream(path) << std::string(8192, 'x');
  const auto trace = read_nsys_sqlite(path);
  EXPECT_EQ(trace.error().code(), ErrorCode::data_loss);
  EXPECT_NE(trace.error().message().find("x.sqlite"), std::string::npos);
}

TEST(NsysSqlite, a_truncated_database_is_data_loss) {
  NsysFixture fixture;
  for (int i = 0; i < 2000; ++i) fixture.kernel({.start = i, .end = i + 1, .name = "k"});
  std::vector<std::byte> image = fixture.image();
  image.resize(image.size() / 2);
  EXPECT_EQ(read_nsys_sqlite(image).error().code(), ErrorCode::data_loss);
}

TEST(NsysSqlite, a_database_of_something_else_is_refused) {
  NsysFixture fixture;
  fixture.sql("DROP TABLE META_DATA_EXPORT");
  EXPECT_EQ(read_nsys_sqlite(fixture.image()).error().code(), ErrorCode::invalid_argument);
}

TEST(NsysSqlite, a_view_in_place_of_a_table_is_not_read) {
  NsysFixture fixture;
  fixture.sql(
      "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start, 2 AS end, 0 AS deviceId");
  EXPECT_TRUE(read(fixture).kernels.empty());
}

TEST(NsysSqlite, absent_tables_are_counted_not_errors) {
  const Trace trace = read(NsysFixture());
  EXPECT_EQ(trace.diagnostics.count("no_kernel_table"), 1U);
  EXPECT_EQ(trace.diagnostics.count("no_api_table"), 1U);
  EXPECT_EQ(trace.diagnostics.count("no_nvtx_table"), 1U);
}

TEST(NsysSqlite, absent_columns_read_as_nothing) {
  NsysFixture fixture;
  fixture.launch({.call_start = 10, .call_end = 12, .start = 20, .end = 30, .name = "k"});
  for (const char* column : {"globalPid", "contextId", "shortName", "graphNodeId", "gridX"}) {
    fixture.sql(std::string("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN ") + column);
  }
  fixture.sql("ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN eventClass");
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.kernels.call[0], 0U) << "the only process there is launched it";
  EXPECT_EQ(trace.strings.view(trace.functions[0].short_name), "k");
}

TEST(NsysSqlite, kernels_are_named_by_the_short_name_where_there_is_no_other) {
  NsysFixture fixture;
  fixture.launch({.call_start = 1, .call_end = 2, .start = 3, .end = 4, .name = "void a::f<1>()"});
  fixture.launch({.call_start = 5, .call_end = 6, .start = 7, .end = 8, .name = "g"});
  fixture.sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN demangledName");
  const Trace trace = read(fixture);
  ASSERT_EQ(trace.functions.size(), 2U);
  EXPECT_EQ(trace.function_name(0), "f");
  EXPECT_EQ(trace.function_name(1), "g");
}

TEST(NsysSqlite, kernels_without_a_process_are_not_guessed_at_where_there_are_several) {
  NsysFixture fixture;
  fixture.launch({.call_start = 1, .call_end = 2, .start = 3, .end = 4, .name = "k", .pid = 100});
  fixture.call({.start = 5, .end = 6, .correlation = 9, .pid = 200, .tid = 200});
  fixture.sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid");
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.kernels.call[0], kNone);
  EXPECT_EQ(trace.diagnostics.count("kernels_without_api_row"), 1U);
}

TEST(NsysSqlite, processes_with_the_same_correlation_ids_are_told_apart) {
  NsysFixture fixture;
  fixture.call({.start = 1, .end = 2, .correlation = 5, .pid = 100, .tid = 1});
  fixture.call({.start = 3, .end = 4, .correlation = 5, .pid = 200, .tid = 2});
  fixture.kernel({.start = 10, .end = 20, .name = "a", .correlation = 5, .pid = 200});
  fixture.kernel({.start = 30, .end = 40, .name = "b", .correlation = 5, .device = 1, .pid = 100});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.kernels.call[0], 1U);
  EXPECT_EQ(trace.kernels.call[1], 0U);
  EXPECT_EQ(trace.devices(), (std::vector<std::int64_t>{0, 1}));
}

TEST(NsysSqlite, scattered_correlation_ids_are_found_too) {
  NsysFixture fixture;
  fixture.call({.start = 1, .end = 2, .correlation = 7});
  fixture.call({.start = 3, .end = 4, .correlation = 4'000'000'000});
  fixture.kernel({.start = 10, .end = 20, .name = "a", .correlation = 4'000'000'000});
  fixture.kernel({.start = 30, .end = 40, .name = "a", .correlation = 8});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.kernels.call[0], 1U);
  EXPECT_EQ(trace.kernels.call[1], kNone);
}

TEST(NsysSqlite, rows_of_event_class_67_are_left_out_and_counted) {
  NsysFixture fixture;
  fixture.call({.start = 1, .end = 5, .correlation = 5});
  fixture.call({.start = 1, .end = 5, .correlation = 5, .event_class = 67});
  fixture.call({.start = 6, .end = 7, .name = "cuCtxSynchronize", .event_class = 1});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.calls.size(), 2U);
  EXPECT_EQ(trace.diagnostics.count("api_rows_repeated"), 1U);
}

TEST(NsysSqlite, of_calls_with_one_correlation_id_the_earliest_counts) {
  NsysFixture fixture;
  fixture.call({.start = 3, .end = 4, .name = "cuLaunchKernel", .correlation = 5});
  fixture.call({.start = 1, .end = 5, .correlation = 5});
  fixture.kernel({.start = 10, .end = 20, .name = "a", .correlation = 5});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.calls.start[trace.kernels.call[0]], 1);
  EXPECT_EQ(trace.diagnostics.count("api_correlation_repeated"), 1U);
}

TEST(NsysSqlite, only_a_version_of_four_digits_is_cut_from_an_api_name) {
  NsysFixture fixture;
  fixture.call({.start = 1, .end = 2, .name = "cudaMemcpyAsync_v3020"});
  fixture.call({.start = 3, .end = 4, .name = "cudaLaunchKernelExC_v11060"});
  fixture.call({.start = 5, .end = 6, .name = "cuMemcpy_v2"});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.strings.view(trace.calls.name[0]), "cudaMemcpyAsync");
  EXPECT_EQ(trace.strings.view(trace.calls.name[1]), "cudaLaunchKernelExC_v11060");
  EXPECT_EQ(trace.strings.view(trace.calls.name[2]), "cuMemcpy_v2");
}

TEST(NsysSqlite, range_names_are_read_from_text_and_from_text_id) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 9, .name = "outer"});
  fixture.range({.start = 1, .end = 2, .name = "inner", .registered = true});
  fixture.sql("INSERT INTO NVTX_EVENTS (start, end, eventType) VALUES (3, 4, 59)");
  const Trace trace = read(fixture);
  ASSERT_EQ(trace.ranges.size(), 3U);
  EXPECT_EQ(trace.strings.view(trace.ranges.name[1]), "inner");
  EXPECT_EQ(trace.strings.view(trace.ranges.name[2]), "(unnamed)");
  EXPECT_EQ(trace.diagnostics.count("range_name_missing"), 1U);
}

TEST(NsysSqlite, rows_of_a_range_type_it_does_not_know_are_counted) {
  NsysFixture fixture;
  fixture.range({.start = 1, .end = 2, .name = "a thread", .type = 39});
  fixture.range({.start = 1, .end = 2, .name = "news", .type = 250});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  EXPECT_TRUE(trace.ranges.empty());
  EXPECT_EQ(trace.diagnostics.count("nvtx_type_unknown"), 1U);
}

TEST(NsysSqlite, an_open_range_ends_with_the_profile) {
  NsysFixture fixture;
  fixture.range({.start = 5, .name = "open"});
  fixture.kernel({.start = 10, .end = 70, .name = "k"});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.ranges.end[0], 70);
  EXPECT_EQ(trace.ranges.flags[0] & range_open, range_open);
  EXPECT_EQ(trace.diagnostics.count("range_never_closed"), 1U);
}

TEST(NsysSqlite, domains_name_their_ranges_whichever_row_comes_first) {
  NsysFixture fixture;
  fixture.range({.start = 1, .end = 2, .name = "ncclAllReduce", .domain = 3});
  fixture.domain(3, "NCCL");
  fixture.range({.start = 3, .end = 4, .name = "x", .domain = 8});
  fixture.range({.start = 5, .end = 6, .name = "y", .pid = 200, .tid = 1, .domain = 3, .type = 60});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.strings.view(trace.ranges.domain[0]), "NCCL");
  EXPECT_EQ(trace.ranges.flags[0] & range_automatic, range_automatic);
  EXPECT_EQ(trace.strings.view(trace.ranges.domain[1]), "domain 8");
  EXPECT_EQ(trace.strings.view(trace.ranges.domain[2]), "domain 3") << "of another process";
  EXPECT_EQ(trace.ranges.style[2], RangeStyle::start_end);
  EXPECT_EQ(trace.domains, 1U);
}

TEST(NsysSqlite, a_range_ended_by_another_thread_is_marked) {
  NsysFixture fixture;
  fixture.range({.start = 1, .end = 2, .name = "a", .type = 60, .end_tid = 101});
  fixture.range({.start = 3, .end = 4, .name = "b", .type = 60, .end_tid = 100});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.ranges.flags[0], range_cross_thread);
  EXPECT_EQ(trace.ranges.flags[1], 0);
}

TEST(NsysSqlite, suffixes_that_number_ranges_are_cut_unless_raw_names_are_asked_for) {
  NsysFixture fixture;
  fixture.range({.start = 1, .end = 2, .name = "aten::mm, seq = 3, op_id = 7"});
  EXPECT_EQ(read(fixture).strings.view(1), "aten::mm");
  EXPECT_EQ(read(fixture, {.raw_range_names = true}).strings.view(1),
            "aten::mm, seq = 3, op_id = 7");
}

TEST(NsysSqlite, names_that_are_not_utf8_are_shown_and_counted) {
  NsysFixture fixture;
  fixture.kernel({.start = 1, .end = 2, .name = "k\xff\xfe"});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.function_name(0), "k\uFFFD\uFFFD");
  EXPECT_EQ(trace.diagnostics.count("text_not_utf8"), 1U);
}

TEST(NsysSqlite, rows_without_usable_times_are_left_out_and_counted) {
  NsysFixture fixture;
  fixture.kernel({.start = 1, .end = 2, .name = "k"});
  fixture.kernel({.start = 5, .end = 4, .name = "k"});
  fixture.kernel({.start = 5, .end = std::int64_t{1} << 62U, .name = "k"});
  fixture.sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE rowid = 1");
  const Trace trace = read(fixture);
  EXPECT_TRUE(trace.kernels.empty());
  EXPECT_EQ(trace.diagnostics.count("kernels_malformed"), 3U);
}

TEST(NsysSqlite, rows_are_put_in_order_of_start_with_all_their_columns) {
  NsysFixture fixture;
  fixture.kernel({.start = 30, .end = 40, .name = "late", .stream = 9});
  fixture.kernel({.start = 10, .end = 20, .name = "early", .graph_node = 3});
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.function_name(trace.kernels.function[0]), "early");
  EXPECT_EQ(trace.kernels.graph_node, (std::vector<std::uint64_t>{3, 0}));
  EXPECT_EQ(trace.queues[trace.kernels.queue[1]].stream, 9);
}

TEST(NsysSqlite, whole_graphs_without_kernels_are_pointed_out) {
  NsysFixture fixture;
  fixture.call({.start = 1, .end = 2, .name = "cudaGraphLaunch_v10000", .correlation = 4});
  fixture.graph(5, 50, 77, 4);
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.graphs.graph[0], 77U);
  EXPECT_EQ(trace.graphs.call[0], 0U);
  EXPECT_EQ(trace.diagnostics.count("graphs_traced_whole"), 1U);
}

TEST(NsysSqlite, the_command_and_the_gpus_are_read) {
  NsysFixture fixture;
  fixture.command({"python", "train.py", "--steps", "3"}).gpu(0, "NVIDIA H100");
  const Trace trace = read(fixture);
  EXPECT_EQ(trace.capture.command,
            (std::vector<std::string>{"python", "train.py", "--steps", "3"}));
  ASSERT_EQ(trace.capture.gpus.size(), 1U);
  EXPECT_EQ(trace.capture.gpus[0].name, "NVIDIA H100");
  EXPECT_EQ(trace.capture.gpus[0].multiprocessors, 132U);
}

TEST(NsysSqlite, warnings_of_several_lines_are_one_paragraph) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 1, .name = "k"});
  fixture.sql("CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT)");
  fixture.sql("INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'first. ' || char(10) || 'second.')");
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  EXPECT_EQ(trace.capture.warnings, std::vector<std::string>{"first. second."});
}

}  // namespace
}  // namespace assay::trace
