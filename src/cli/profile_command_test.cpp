// `assay profile` and `assay runs` over programs without a GPU.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "base/os.hpp"
#include "cli/commands.hpp"
#include "cli/trace_commands_testkit.hpp"
#include "tracer/testkit/traced.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

class ProfileCommands : public testing::Test {
 protected:
  /// An nsys that runs the program and leaves the demo's timeline, first on PATH.
  void SetUp() override {
    fs::create_directory("bin");
    std::ofstream("bin/nsys")
        << "#!/bin/sh\nwhile [ $# -gt 0 ]; do case \"$1\" in\n"
           "--output) out=$2; shift 2;;\nprofile|--*) shift;;\n*) break;; esac\n"
           "done\n\"$@\"; code=$?\ncp train.sqlite \"$out.sqlite\"\nexit $code\n";
    fs::permissions("bin/nsys", fs::perms::owner_all);
    before_ = std::getenv("PATH");
    setenv("PATH", (fs::current_path() / "bin").string().append(":").append(before_).c_str(), 1);
  }
  void TearDown() override { setenv("PATH", before_.c_str(), 1); }

  static std::string only_run() {
    for (const auto& entry : fs::directory_iterator("assay-runs")) {
      return entry.path().filename().string();
    }
    return "";
  }

  DemoFolder folder_;
  std::string before_;
};

TEST_F(ProfileCommands, a_run_leaves_its_timeline_findings_and_page) {
  const CommandRun run =
      run_command({"profile", "--nvtx-range", "step", "--", "/bin/sh", "-c", "exit 4"});
  EXPECT_EQ(run.code, 4) << run.errors;
  const fs::path folder = fs::path("assay-runs") / only_run();
  EXPECT_NE(run.errors.find(folder.string()), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("GPU 0 had no work"), std::string::npos) << run.errors;
  EXPECT_NE(read_file(folder / "findings.json").value().find("ampere_sgemm"), std::string::npos);
  EXPECT_TRUE(read_file(folder / "report.html").value().starts_with("<!doctype html>"));
  EXPECT_NE(read_file(folder / "manifest.json").value().find("--nvtx-capture=step"),
            std::string::npos);
}

TEST_F(ProfileCommands, our_own_tracer_records_where_it_is_asked_for) {
  setenv("XDG_DATA_HOME", (fs::current_path() / "data").c_str(), 1);
  setenv("LD_LIBRARY_PATH", tracer::fake_gpu_folder().c_str(), 1);
  std::ofstream("script") << "push step\ncopy 1024\nlaunch _Z7softmaxPf 16 900\npop\n";
  const CommandRun run = run_command(
      {"profile", "--engine", "tracer", "--", tracer::program_path().string(), "script"});
  unsetenv("LD_LIBRARY_PATH");
  unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(run.code, 0) << run.errors;
  const fs::path folder = fs::path("assay-runs") / only_run();
  EXPECT_NE(read_file(folder / "findings.json").value().find("softmax(float*)"), std::string::npos);
  EXPECT_TRUE(fs::exists("data/assay/tracer")) << "unpacked in the data directory";
  const CommandRun told = run_command({"analyze", (folder / "timeline.sqlite").string()});
  EXPECT_NE(told.output.find("softmax(float*)"), std::string::npos) << told.output << told.errors;
  EXPECT_NE(told.output.find("NVIDIA H200"), std::string::npos) << told.output;
}

TEST_F(ProfileCommands, runs_are_listed_shown_compared_pinned_and_removed) {
  ASSERT_EQ(run_command({"profile", "--", "/bin/true"}).code, kSuccess);
  const std::string id = only_run();
  EXPECT_NE(run_command({"runs", "list"}).output.find(id), std::string::npos);
  EXPECT_NE(run_command({"runs", "show", "last"}).output.find("\"exit_code\":0"),
            std::string::npos);
  EXPECT_NE(run_command({"runs", "diff", id, "last"}).output.find("(+0.0%)"), std::string::npos);
  EXPECT_EQ(run_command({"runs", "pin", id}).code, kSuccess);
  EXPECT_TRUE(run_command({"runs", "prune", "--keep-last", "0"}).output.empty());
  EXPECT_EQ(run_command({"runs", "pin", id, "--undo"}).code, kSuccess);
  EXPECT_NE(run_command({"runs", "prune", "--keep-last", "0"}).output.find("removed " + id),
            std::string::npos);
  EXPECT_EQ(run_command({"runs", "show", id}).code, kUsage);
}

TEST_F(ProfileCommands, refuse_what_they_cannot_do) {
  EXPECT_EQ(run_command({"profile"}).code, kUsage);
  EXPECT_EQ(run_command({"profile", "--nvtx-range", "x", "--cuda-profiler-api", "--", "true"}).code,
            kUsage);
  EXPECT_EQ(run_command({"profile", "--", "/nonexistent/program"}).code, 127)
      << "the engine ran, as a shell says it";
  EXPECT_EQ(run_command({"runs", "prune"}).code, kUsage);
}

}  // namespace
}  // namespace assay::cli
