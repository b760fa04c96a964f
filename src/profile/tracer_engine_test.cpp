#include "profile/tracer_engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "profile/manifest.hpp"
#include "profile/run_manager.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "tracer/testkit/traced.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

/// Programs on a GPU that exists in memory alone, under the tracer that the binary carries.
class TracedRun : public testing::Test {
 protected:
  void SetUp() override { setenv("LD_LIBRARY_PATH", tracer::fake_gpu_folder().c_str(), 1); }
  void TearDown() override { unsetenv("LD_LIBRARY_PATH"); }

  FinishedRun run(const std::string& script, const Gates& gates = {},
                  const std::string& before = "") {
    const fs::path path = folder_.path() / "script";
    std::ofstream(path) << script;
    const std::string program = tracer::program_path().string() + " " + path.string();
    return profile_run(
               {"/bin/sh", "-c", before + program},
               {.root = folder_.path() / "runs",
                .engine = "tracer",
                .data = folder_.path() / "data",
                .gates = gates,
                .environment = environment_},
               stop_.get_token(), clock_, [](std::chrono::seconds) {},
               [](const fs::path& timeline, const fs::path&) -> Result<std::string> {
                 return timeline.filename().string();
               })
        .value();
  }

  static trace::Trace timeline(const FinishedRun& run) {
    return trace::read_nsys_sqlite(run.folder / "timeline.sqlite", {}).value();
  }

  std::vector<std::string> environment_;
  SystemClock clock_;
  std::stop_source stop_;
  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "traced").value();
};

TEST_F(TracedRun, records_a_program_and_its_children_in_one_timeline) {
  const FinishedRun done =
      run("push parent\nfork\npush child\nlaunch in_child 1 10\npop\njoin\nlaunch in_parent 1 "
          "10\npop\n");
  EXPECT_EQ(done.ended.exit_code, 0);
  EXPECT_TRUE(done.notes.empty()) << done.notes.front();
  EXPECT_EQ(done.findings, "timeline.sqlite");
  const trace::Trace trace = timeline(done);
  EXPECT_EQ(trace.kernels.size(), 2U);
  EXPECT_EQ(trace.ranges.size(), 2U);
  EXPECT_EQ(trace.processes.size(), 2U);
  EXPECT_EQ(trace.capture.gpus.size(), 1U) << "both used the same GPU";
  std::vector<std::string> names;
  for (const auto& function : trace.functions)
    names.emplace_back(trace.strings.view(function.name));
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"in_child", "in_parent"})) << "texts keep their ids";
  const std::string manifest = read_file(done.folder / kManifest).value();
  EXPECT_EQ(manifest_text(manifest, "engine"), "tracer");
  EXPECT_NE(manifest.find("CUDA_INJECTION64_PATH="), std::string::npos);
}

TEST_F(TracedRun, tells_apart_gpus_that_two_processes_call_by_one_number) {
  const FinishedRun done = run("launch a 1 10\n", {},
                               "FAKE_GPU_UUID=b " + tracer::program_path().string() + " " +
                                   (folder_.path() / "script").string() + "; ");
  const trace::Trace trace = timeline(done);
  ASSERT_EQ(trace.kernels.size(), 2U);
  ASSERT_EQ(trace.capture.gpus.size(), 2U);
  EXPECT_NE(trace.queues[trace.kernels.queue[0]].device,
            trace.queues[trace.kernels.queue[1]].device);
}

TEST_F(TracedRun, keeps_what_a_killed_program_left) {
  const FinishedRun done = run("push epoch\nlaunch a 1 10\nsleep 1500\nkill\n");
  EXPECT_EQ(done.ended.exit_code, 128 + 9);
  const trace::Trace trace = timeline(done);
  EXPECT_EQ(trace.kernels.size(), 1U);
  EXPECT_EQ(trace.ranges.size(), 1U);
}

TEST_F(TracedRun, keeps_the_beginning_of_a_program_that_is_ended_soon) {
  const FinishedRun done = run("push epoch\nlaunch a 1 10\nsleep 250\nkill\n");
  EXPECT_EQ(timeline(done).kernels.size(), 1U);
  const FinishedRun at_once = run("kill\n");
  ASSERT_EQ(at_once.notes.size(), 1U);
  EXPECT_NE(at_once.notes[0].find("was ended before it used CUDA"), std::string::npos)
      << at_once.notes[0];
}

TEST_F(TracedRun, passes_gates_on) {
  const FinishedRun done = run("launch a 1 1\npush step\nlaunch b 1 1\npop\n",
                               {.nvtx_range = "step", .delay_s = std::nullopt});
  EXPECT_EQ(timeline(done).kernels.size(), 1U);
}

TEST_F(TracedRun, says_who_has_cupti_and_what_a_program_without_cuda_leaves) {
  const FinishedRun taken = run("push a\nlaunch a 1 1\npop\n", {}, "FAKE_CUPTI_TAKEN=Kineto ");
  ASSERT_EQ(taken.notes.size(), 1U);
  EXPECT_NE(taken.notes[0].find("another has it (Kineto)"), std::string::npos) << taken.notes[0];
  const FinishedRun none = run("");
  ASSERT_EQ(none.notes.size(), 1U);
  EXPECT_NE(none.notes[0].find("neither CUDA nor NVTX"), std::string::npos) << none.notes[0];
  EXPECT_TRUE(none.findings.empty());
}

TEST_F(TracedRun, says_where_no_process_was_of_the_ranks) {
  const FinishedRun none = run("launch a 1 1\n", {.ranks = "0,2"}, "RANK=1 ");
  ASSERT_EQ(none.notes.size(), 1U);
  EXPECT_NE(none.notes[0].find("no process of the ranks 0,2"), std::string::npos) << none.notes[0];
}

TEST_F(TracedRun, says_that_another_tool_is_not_loaded) {
  environment_ = {"CUDA_INJECTION64_PATH=/opt/other.so"};
  const FinishedRun done = run("launch a 1 1\n");
  ASSERT_EQ(done.notes.size(), 1U);
  EXPECT_NE(done.notes[0].find("/opt/other.so"), std::string::npos) << done.notes[0];
  EXPECT_EQ(timeline(done).kernels.size(), 1U);
}

TEST(Tracer, is_unpacked_once) {
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "unpack").value();
  const fs::path first = unpack_tracer(folder.path()).value();
  const auto written = fs::last_write_time(first);
  EXPECT_EQ(unpack_tracer(folder.path()).value(), first);
  EXPECT_EQ(fs::last_write_time(first), written);
  EXPECT_EQ(fs::file_size(first), fs::file_size(tracer::library_path()));
  EXPECT_FALSE(unpack_tracer("/proc/nothing").has_value());
}

}  // namespace
}  // namespace assay::profile
