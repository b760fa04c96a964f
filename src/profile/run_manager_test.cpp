#include "profile/run_manager.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "profile/manifest.hpp"
#include "profile/program.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/nsys_fixture.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

/// A program without a GPU, and an nsys that is a script: it runs the program and leaves a
/// timeline.
class ProfileRun : public testing::Test {
 protected:
  Result<FinishedRun> run(const std::string& script, const ProfileOptions& more = {}) {
    ProfileOptions options = more;
    options.root = folder_.path() / "runs";
    if (options.search_path.empty()) options.search_path = "/nonexistent";
    return profile_run(
        {"/bin/sh", "-c", script}, options, stop_.get_token(), clock_, [](std::chrono::seconds) {},
        [](const fs::path& timeline, const fs::path& folder) -> Result<std::string> {
          std::ofstream(folder / "findings.json") << timeline.filename();
          return "found";
        });
  }

  std::string fake_nsys() {
    trace::NsysFixture fixture;
    trace::add_demo(fixture);
    fixture.write(folder_.path() / "demo.sqlite");
    const fs::path nsys = folder_.path() / "nsys";
    std::ofstream(nsys)
        << "#!/bin/sh\nout=\nwhile [ $# -gt 0 ]; do case \"$1\" in\n"
           "--output) out=$2; shift 2;;\nprofile|--*) shift;;\n*) break;; esac; done\n"
           "\"$@\"\ncode=$?\ncp '"
        << (folder_.path() / "demo.sqlite").string() << "' \"$out.sqlite\"\nexit $code\n";
    fs::permissions(nsys, fs::perms::owner_all);
    return folder_.path().string() + ":/usr/bin:/bin";
  }

  static std::string content(const fs::path& path) { return read_file(path).value_or("(none)"); }

  SystemClock clock_;
  std::stop_source stop_;
  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "profile").value();
};

TEST_F(ProfileRun, keeps_the_clocks_that_the_gpus_ran_at) {
  ProfileOptions options;
  options.clocks = [] {
    return std::vector<ClockReading>{
        {.device = "a GPU", .sm_mhz = 1410, .sm_most_mhz = 1980, .memory_mhz = 3201}};
  };
  const FinishedRun run = this->run("true", options).value();
  const std::string manifest = content(run.folder / kManifest);
  EXPECT_NE(manifest.find(R"("sm_mhz_least":1410)"), std::string::npos) << manifest;
  EXPECT_NE(manifest.find(R"("sm_mhz_possible":1980)"), std::string::npos) << manifest;
}

TEST_F(ProfileRun, leaves_a_folder_with_manifest_and_logs_and_passes_the_exit_code_on) {
  const FinishedRun done = run("echo said; echo failed >&2; exit 3", {.engine = "none"}).value();
  EXPECT_EQ(done.ended.exit_code, 3);
  EXPECT_EQ(content(done.folder / "logs" / "stdout.log"), "said\n");
  EXPECT_EQ(content(done.folder / "logs" / "stderr.log"), "failed\n");
  const std::string manifest = content(done.folder / kManifest);
  EXPECT_EQ(manifest_text(manifest, "exit_code"), "3");
  EXPECT_EQ(manifest_text(manifest, "engine"), "none");
  EXPECT_FALSE(manifest_text(manifest, "host").empty());
  EXPECT_FALSE(manifest_text(manifest, "working_directory").empty());
}

TEST_F(ProfileRun, without_an_engine_says_so_and_runs) {
  const FinishedRun done = run("true", {.engine = "none", .gates = {.nvtx_range = "step"}}).value();
  EXPECT_EQ(done.ended.exit_code, 0);
  ASSERT_EQ(done.notes.size(), 1U);
  EXPECT_NE(done.notes[0].find("no effect"), std::string::npos);
}

TEST_F(ProfileRun, by_nsys_keeps_the_timeline_and_what_was_found) {
  const FinishedRun done = run("exit 5", {.search_path = fake_nsys()}).value();
  EXPECT_EQ(done.ended.exit_code, 5);
  EXPECT_TRUE(fs::exists(done.folder / "timeline.sqlite"));
  EXPECT_EQ(done.findings, "found");
  EXPECT_EQ(content(done.folder / "findings.json"), "\"timeline.sqlite\"");
  EXPECT_NE(content(done.folder / kManifest).find("\"--output\""), std::string::npos)
      << "what was really run";
}

TEST_F(ProfileRun, stopped_keeps_what_was_captured) {
  const auto later = std::jthread([&] {
    const auto started = [&] {
      for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
        if (entry.path().filename() == "stdout.log" && entry.file_size() > 0) return true;
      }
      return false;
    };
    while (!started()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop_.request_stop();
  });
  const FinishedRun done =
      run("trap 'echo finished; exit 130' INT; echo started; while :; do sleep 0.05; done",
          {.engine = "none"})
          .value();
  EXPECT_TRUE(done.ended.stopped);
  EXPECT_EQ(done.ended.exit_code, 130);
  EXPECT_EQ(content(done.folder / "logs" / "stdout.log"), "started\nfinished\n");
  EXPECT_EQ(manifest_text(content(done.folder / kManifest), "stopped"), "yes");
}

TEST_F(ProfileRun, a_program_hears_ctrl_c_even_where_we_were_told_to_ignore_it) {
  auto* const before = std::signal(SIGINT, SIG_IGN);  // as a shell does in the background
  const FinishedRun done = run("kill -INT $$; echo deaf", {.engine = "none"}).value();
  std::signal(SIGINT, before);
  EXPECT_EQ(done.ended.signal, SIGINT) << content(done.folder / "logs" / "stdout.log");
}

TEST_F(ProfileRun, of_what_cannot_be_started_leaves_nothing) {
  EXPECT_EQ(run("true", {.engine = "nsys", .search_path = "/nonexistent"}).error().code(),
            ErrorCode::not_found);
  const auto absent = profile_run(
      {"/nonexistent/program"}, {.root = folder_.path() / "runs", .engine = "none"}, {}, clock_,
      [](std::chrono::seconds) {},
      [](const fs::path&, const fs::path&) -> Result<std::string> { return ""; });
  EXPECT_EQ(absent.error().code(), ErrorCode::not_found);
  EXPECT_TRUE(fs::is_empty(folder_.path() / "runs"));
}

TEST(Manifest, leaves_secrets_out) {
  const Manifest manifest = describe_run({"x"}, {"API_TOKEN=abc", "CUDA_VISIBLE_DEVICES=1"});
  EXPECT_EQ(manifest.environment.at("API_TOKEN"), "(left out)");
  EXPECT_EQ(manifest.environment.at("CUDA_VISIBLE_DEVICES"), "1");
}

TEST(Manifest, texts_read_back_as_they_were) {
  const std::string json = manifest_json({.command = {"a \"b\"", "\\c"}}, nullptr);
  EXPECT_EQ(manifest_text(json, "command_line"), "a \"b\" \\c");
  EXPECT_EQ(manifest_text(json, "exit_code"), "");
  EXPECT_EQ(manifest_text(json, "nothing"), "");
}

TEST(Manifest, does_not_take_the_environment_for_what_was_asked) {
  const std::string json = manifest_json({.environment = {{"stages", "three"}}}, nullptr);
  EXPECT_EQ(manifest_text(json, "stages"), "");
}

TEST(Manifest, takes_what_was_asked_for_later) {
  std::string json = manifest_json({.command = {"a"}, .asked = {{"stages", "one"}}}, nullptr);
  json = manifest_with(std::move(json), "stages", "\"two\"");
  json = manifest_with(std::move(json), "then_ncu", "3");
  EXPECT_EQ(manifest_text(json, "stages"), "\"two\"");
  EXPECT_EQ(manifest_text(json, "then_ncu"), "3");
  EXPECT_EQ(manifest_list(json, "command"), std::vector<std::string>{"a"});
  EXPECT_EQ(json.find("one"), std::string::npos) << json;
}

TEST(Manifest, tells_what_was_recorded_alone) {
  const Gates none = manifest_gates(manifest_json({}, nullptr));
  EXPECT_TRUE(none.nvtx_range.empty());
  EXPECT_FALSE(none.cuda_profiler);
  EXPECT_FALSE(none.delay_s);
  const Gates gates = manifest_gates(manifest_json(
      {.gates = {.nvtx_range = "a\\@b@c", .cuda_profiler = true, .duration_s = 1.5}}, nullptr));
  EXPECT_EQ(gates.nvtx_range, "a\\@b@c");
  EXPECT_TRUE(gates.cuda_profiler);
  EXPECT_EQ(gates.duration_s, 1.5);
}

}  // namespace
}  // namespace assay::profile
