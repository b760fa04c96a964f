// The tracer as a program loads it, on a GPU that exists in memory alone, read back by the reader
// of Nsight Systems' exports.

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "tracer/testkit/traced.hpp"

namespace assay::tracer {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Traced : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_" +
               std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] trace::Trace only_trace() const {
    const auto files = files_in(folder_, ".sqlite");
    EXPECT_EQ(files.size(), 1U);
    if (files.empty()) return {};
    auto read = trace::read_nsys_sqlite(files.front(), {});
    EXPECT_TRUE(read) << read.error().message();
    return read ? *std::move(read) : trace::Trace();
  }
  [[nodiscard]] std::string log() const {
    std::string out;
    for (const fs::path& path : files_in(folder_, ".log")) out += text_of(path);
    return out;
  }

  fs::path folder_;
};

std::string_view name_of(const trace::Trace& trace, std::size_t kernel) {
  return trace.strings.view(trace.functions[trace.kernels.function[kernel]].name);
}
std::string_view range_name(const trace::Trace& trace, std::size_t range) {
  return trace.strings.view(trace.ranges.name[range]);
}
std::size_t range_of(const trace::Trace& trace, std::string_view name) {
  std::size_t row = 0;
  while (row < trace.ranges.size() && range_name(trace, row) != name) ++row;
  EXPECT_LT(row, trace.ranges.size()) << name;
  return row;
}

TEST_F(Traced, a_program_leaves_what_it_did_in_nsight_systems_tables) {
  const int status = run_traced(folder_,
                                "push step\n"
                                "push forward\n"
                                "copy 4096\n"
                                "question\n"
                                "launch _Z3addILi4EfEvPT0_ 12 50\n"
                                "launch triton_poi_fused_0 3 20 driver\n"
                                "pop\n"
                                "fill 256\n"
                                "pop\n");
  ASSERT_EQ(status, 0);
  const trace::Trace trace = only_trace();
  ASSERT_EQ(trace.kernels.size(), 2U) << log();
  EXPECT_EQ(name_of(trace, 0), "void add<4, float>(float*)");
  EXPECT_EQ(trace.strings.view(trace.functions[trace.kernels.function[0]].short_name), "add");
  EXPECT_EQ(trace.shapes[trace.kernels.shape[0]].grid[0], 12U);
  EXPECT_EQ(trace.shapes[trace.kernels.shape[0]].block[0], 128U);
  EXPECT_EQ(trace.kernels.end[0] - trace.kernels.start[0], 50'000);
  ASSERT_EQ(trace.copies.size(), 1U);
  EXPECT_EQ(trace.copies.bytes[0], 4096U);
  ASSERT_EQ(trace.fills.size(), 1U);
  // A copy, a memset and two launches, each once: not the question, nor the driver's half.
  ASSERT_EQ(trace.calls.size(), 4U);
  ASSERT_EQ(trace.ranges.size(), 2U);
  const std::size_t step = range_of(trace, "step");
  const std::size_t forward = range_of(trace, "forward");
  EXPECT_LE(trace.ranges.start[step], trace.ranges.start[forward]);
  EXPECT_GE(trace.ranges.end[step], trace.ranges.end[forward]);
  EXPECT_GE(trace.kernels.start[0], trace.ranges.start[forward]) << "one clock";
  EXPECT_EQ(trace.calls.thread[0], trace.ranges.thread[forward]) << "one number for a thread";
  ASSERT_EQ(trace.capture.gpus.size(), 1U);
  EXPECT_EQ(trace.capture.gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(trace.capture.gpus[0].multiprocessors, 132U);
  EXPECT_EQ(trace.capture.product, "Assay tracer");
  EXPECT_EQ(trace.capture.command.size(), 2U);
  EXPECT_TRUE(trace.capture.warnings.empty());
  EXPECT_NE(log().find("recorded 2 kernels, 2 copies and memsets, 4 calls"), std::string::npos)
      << log();
}

TEST_F(Traced, domains_registered_texts_marks_and_threads_are_told) {
  ASSERT_EQ(run_traced(folder_,
                       "push layer model\n"
                       "registered encoder 42\n"
                       "start overlap\n"
                       "mark here\n"
                       "thread worker\n"
                       "end\n"
                       "pop\n"
                       "pop model\n"
                       "push left_open\n"),
            0);
  const trace::Trace trace = only_trace();
  ASSERT_EQ(trace.ranges.size(), 5U);
  EXPECT_EQ(trace.strings.view(trace.ranges.domain[range_of(trace, "layer")]), "model");
  EXPECT_EQ(trace.ranges.style[range_of(trace, "overlap")], trace::RangeStyle::start_end);
  EXPECT_NE(trace.ranges.thread[range_of(trace, "worker")],
            trace.ranges.thread[range_of(trace, "encoder")]);
  EXPECT_NE(trace.ranges.flags[range_of(trace, "left_open")] & trace::range_open, 0);
  EXPECT_EQ(trace.marks, 1U);
  ASSERT_EQ(trace.kernels.size(), 1U);
  EXPECT_EQ(name_of(trace, 0), "of_worker");
}

TEST_F(Traced, kernels_of_a_graph_name_their_node_and_share_their_launch) {
  ASSERT_EQ(run_traced(folder_, "graph node_kernel 3\nlaunch plain 1 1\n"), 0);
  const trace::Trace trace = only_trace();
  ASSERT_EQ(trace.kernels.size(), 4U);
  ASSERT_EQ(trace.kernels.graph_node.size(), 4U);
  EXPECT_EQ(trace.kernels.graph_node[2], 3U);
  EXPECT_EQ(trace.kernels.graph_node[3], 0U);
  EXPECT_EQ(trace.kernels.call[0], trace.kernels.call[2]);
  EXPECT_EQ(trace.calls.size(), 2U);
}

TEST_F(Traced, a_program_that_crashes_leaves_what_was_written_until_then) {
  for (const char* end : {"crash", "kill"}) {
    SetUp();
    const int status = run_traced(
        folder_,
        std::string("push epoch\nlaunch before 1 10\nsleep 300\nlaunch after 1 1\n") + end);
    EXPECT_TRUE(WIFSIGNALED(status));
    const trace::Trace trace = only_trace();
    ASSERT_GE(trace.kernels.size(), 1U) << end;
    EXPECT_EQ(name_of(trace, 0), "before");
    ASSERT_EQ(trace.ranges.size(), 1U) << "the range that never closed is there";
    EXPECT_NE(trace.ranges.flags[0] & trace::range_open, 0);
  }
}

TEST_F(Traced, a_child_has_a_file_of_its_own) {
  ASSERT_EQ(run_traced(folder_,
                       "push parent\n"
                       "fork\n"
                       "push child\n"
                       "launch in_child 1 10\n"
                       "pop\n"
                       "join\n"
                       "launch in_parent 1 10\n"
                       "pop\n"),
            0);
  const auto files = files_in(folder_, ".sqlite");
  ASSERT_EQ(files.size(), 2U);
  std::vector<std::string> seen;
  for (const fs::path& file : files) {
    const auto read = trace::read_nsys_sqlite(file, {});
    ASSERT_TRUE(read) << read.error().message();
    ASSERT_EQ(read->kernels.size(), 1U);
    ASSERT_EQ(read->ranges.size(), 1U);
    seen.emplace_back(std::string(range_name(*read, 0)) + " " + std::string(name_of(*read, 0)));
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<std::string>{"child in_child", "parent in_parent"}));
}

TEST_F(Traced, what_cannot_be_written_in_time_is_dropped_counted_and_told) {
  // Half a second between writes, and room for two buffers: some thousand records.
  ASSERT_EQ(run_traced(folder_, "many 60000 fast\nsleep 50\n",
                       {{"ASSAY_TRACER_BUFFER_MB", "1"}, {"ASSAY_TRACER_PERIOD_MS", "100000"}}),
            0);
  const trace::Trace trace = only_trace();
  EXPECT_LT(trace.kernels.size(), 60000U);
  EXPECT_GT(trace.kernels.size(), 1000U);
  ASSERT_EQ(trace.capture.warnings.size(), 1U);
  EXPECT_NE(trace.capture.warnings[0].find("CUPTI dropped"), std::string::npos);
  EXPECT_NE(log().find("problem: CUPTI dropped"), std::string::npos);
}

TEST_F(Traced, a_profiler_that_has_cupti_is_named) {
  ASSERT_EQ(run_traced(folder_, "push step\nlaunch a 1 1\npop\n", {{"FAKE_CUPTI_TAKEN", "Kineto"}}),
            0);
  const trace::Trace trace = only_trace();
  EXPECT_TRUE(trace.kernels.empty());
  EXPECT_EQ(trace.ranges.size(), 1U) << "ranges need no CUPTI";
  ASSERT_EQ(trace.capture.warnings.size(), 1U);
  EXPECT_NE(trace.capture.warnings[0].find("another has it (Kineto)"), std::string::npos)
      << trace.capture.warnings[0];
  EXPECT_NE(log().find("problem: no kernels are recorded"), std::string::npos);
}

TEST_F(Traced, a_child_of_a_gated_program_goes_on) {
  ASSERT_EQ(
      run_traced(folder_,
                 "push other\nsleep 60\nfork\npush step\nlaunch in_child 1 1\npop\njoin\npop\n",
                 {{"ASSAY_TRACER_RANGE", "step"}, {"ASSAY_TRACER_PERIOD_MS", "1"}}),
      0);
  std::size_t kernels = 0;
  for (const fs::path& file : files_in(folder_, ".sqlite")) {
    kernels += trace::read_nsys_sqlite(file, {}).value().kernels.size();
  }
  EXPECT_EQ(kernels, 1U);
}

TEST_F(Traced, a_gate_keeps_what_was_launched_inside) {
  ASSERT_EQ(run_traced(folder_,
                       "launch before 1 1000\npush step\nlaunch inside 1 1000\npop\n"
                       "launch after 1 1\npush step\nlaunch second 1 1\npop\n",
                       {{"ASSAY_TRACER_RANGE", "step"}}),
            0);
  const trace::Trace trace = only_trace();
  ASSERT_EQ(trace.kernels.size(), 1U);
  EXPECT_EQ(name_of(trace, 0), "inside");
  EXPECT_EQ(trace.ranges.size(), 1U);
}

TEST_F(Traced, the_programs_own_calls_open_and_close_the_gate) {
  ASSERT_EQ(run_traced(folder_,
                       "launch before 1 1\nprofiler 1\nlaunch inside 1 1\nprofiler 0\n"
                       "launch after 1 1\n",
                       {{"ASSAY_TRACER_PROFILER_API", "1"}}),
            0);
  const trace::Trace trace = only_trace();
  ASSERT_EQ(trace.kernels.size(), 1U);
  EXPECT_EQ(name_of(trace, 0), "inside");
}

TEST_F(Traced, ranks_have_files_of_their_name_and_others_none) {
  const std::map<std::string, std::string> wanted = {{"ASSAY_TRACER_RANKS", "0,3"}};
  for (const char* rank : {"0", "1", "3"}) {
    auto environment = wanted;
    environment["RANK"] = rank;
    ASSERT_EQ(run_traced(folder_, "launch a 1 1\n", environment), 0);
  }
  const auto files = files_in(folder_, ".sqlite");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_TRUE(files[0].filename().string().starts_with("rank0-"));
  EXPECT_TRUE(files[1].filename().string().starts_with("rank3-"));
}

TEST_F(Traced, without_a_folder_nothing_is_recorded_and_the_program_runs) {
  EXPECT_EQ(run_traced(folder_, "push a\nlaunch a 1 1\npop\n", {{"ASSAY_TRACER_FOLDER", ""}}), 0);
  EXPECT_TRUE(files_in(folder_, ".sqlite").empty());
}

}  // namespace
}  // namespace assay::tracer
