// `assay profile` and `assay runs` over programs without a GPU.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "base/os.hpp"
#include "cli/commands.hpp"
#include "cli/trace_commands_testkit.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/sample_report.hpp"
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

TEST_F(ProfileCommands, a_program_that_crashes_is_said_to_have) {
  const CommandRun run = run_command({"profile", "--", "/bin/sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(run.code, 139) << run.errors;
  const CommandRun direct =
      run_command({"profile", "--engine", "none", "--", "/bin/sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(direct.code, 139) << direct.errors;
  EXPECT_NE(direct.errors.find("ended by signal 11 (Segmentation fault)"), std::string::npos)
      << direct.errors;
}

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

/// Programs on a GPU that exists in memory alone, under our own tracer.
class TracedCommands : public ProfileCommands {
 protected:
  void SetUp() override {
    ProfileCommands::SetUp();
    setenv("XDG_DATA_HOME", (fs::current_path() / "data").c_str(), 1);
    setenv("LD_LIBRARY_PATH", tracer::fake_gpu_folder().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("XDG_DATA_HOME");
    ProfileCommands::TearDown();
  }

  /// `assay profile` with our tracer around the program that does what a script says.
  static CommandRun profile(std::vector<std::string> options, const std::string& script) {
    std::vector<std::string> words = {"profile", "--engine", "tracer"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", tracer::program_path().string(), script});
    return run_command(words);
  }

  /// An ncu that notes that it ran, runs the program and leaves the report of two launches.
  static void fake_ncu() {
    std::ofstream("sample.ncu-rep", std::ios::binary)
        << trace::testing::write_ncu_rep(trace::testing::sample_report());
    std::ofstream("bin/ncu")
        << "#!/bin/sh\necho ran >> ncu-ran\nwhile [ $# -gt 0 ]; do case \"$1\" in\n"
           "--export) out=$2; shift 2;;\n--force-overwrite|--nvtx) shift;;\n--*) shift 2;;\n"
           "*) break;; esac; done\n\"$@\" && cp sample.ncu-rep \"$out\"\n";
    fs::permissions("bin/ncu", fs::perms::owner_all);
  }
  static std::size_t times_ncu_ran() {
    const std::string text = read_file("ncu-ran").value_or("");
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
};

TEST_F(TracedCommands, record_where_it_is_asked_for) {
  std::ofstream("script") << "push step\ncopy 1024\nlaunch _Z7softmaxPf 16 900\npop\n";
  const CommandRun run = profile({}, "script");
  EXPECT_EQ(run.code, 0) << run.errors;
  const fs::path folder = fs::path("assay-runs") / only_run();
  EXPECT_NE(read_file(folder / "findings.json").value().find("softmax(float*)"), std::string::npos);
  EXPECT_TRUE(fs::exists("data/assay/tracer")) << "unpacked in the data directory";
  const CommandRun told = run_command({"analyze", (folder / "timeline.sqlite").string()});
  EXPECT_NE(told.output.find("softmax(float*)"), std::string::npos) << told.output << told.errors;
  EXPECT_NE(told.output.find("NVIDIA H200"), std::string::npos) << told.output;
}

TEST_F(TracedCommands, stages_have_their_time_and_utilisation) {
  std::ofstream("script") << "push forward\nlaunch _Z3addPf 16 1000\npop\n"
                             "push backward\nlaunch _Z3mulPf 16 3000\npop\n";
  const CommandRun run = profile({"--stages", "forward:flop=1e9; backward"}, "script");
  EXPECT_EQ(run.code, 0) << run.errors;
  const std::string found =
      read_file(fs::path("assay-runs") / only_run() / "findings.json").value();
  // 1e9 FLOP in a millisecond are 1e12 a second, of the 989.4e12 that an H200 can do.
  EXPECT_NE(found.find("\"mfu_pct\":0.1010"), std::string::npos) << found;
  EXPECT_NE(run.errors.find("backward"), std::string::npos) << run.errors;
  EXPECT_EQ(profile({"--stages", "forward:flop=x"}, "script").code, kUsage);
  EXPECT_EQ(run_command({"runs", "list"}).output.find("script"),
            run_command({"runs", "list"}).output.rfind("script"))
      << "a wrong option is told before the program runs";
}

TEST_F(TracedCommands, kernels_that_matter_are_counted_once_and_joined) {
  fake_ncu();
  std::ofstream("script") << "push step\nlaunch _Z3addPf 16 1000\nlaunch _Z3mulPf 8 500\npop\n";
  const CommandRun run =
      profile({"--then-ncu", "2", "--ncu-set", "basic", "--stages", "step:flop=1e9"}, "script");
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_EQ(times_ncu_ran(), 2U);
  const fs::path folder = fs::path("assay-runs") / only_run();
  EXPECT_TRUE(fs::exists(folder / "ncu" / "kernel_02.ncu-rep"));
  const std::string found = read_file(folder / "findings.json").value();
  EXPECT_NE(found.find("counted_kernels"), std::string::npos);
  EXPECT_NE(found.find("not_counted_as_meant"), std::string::npos)
      << "the report is of other kernels, and that is told";
  EXPECT_NE(read_file(folder / "report.html").value().find("oofline"), std::string::npos);
  fs::remove(folder / "ncu" / "kernel_02.ncu-rep");
  const CommandRun again = run_command({"profile", "--resume", "last", "--then-ncu", "2"});
  EXPECT_EQ(again.code, 0) << again.errors;
  EXPECT_NE(read_file(folder / "findings.json").value().find("mfu_pct"), std::string::npos)
      << "stages are remembered";
  EXPECT_EQ(times_ncu_ran(), 3U)
      << "the one that was missing alone, by the command of the manifest";
}

TEST_F(TracedCommands, a_report_loses_nothing_that_was_asked_before) {
  fake_ncu();
  std::ofstream("script") << "push step\nlaunch _Z3addPf 16 1000\npop\n";
  ASSERT_EQ(profile({}, "script").code, kSuccess);
  const fs::path found = fs::path("assay-runs") / only_run() / "findings.json";
  const auto holds = [&](const char* text) {
    return read_file(found).value().find(text) != std::string::npos;
  };
  const auto resume = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"profile", "--resume", "last"});
    return run_command(more);
  };
  ASSERT_EQ(resume({"--stages", "step:flop=1e9", "--peak-tflops", "100"}).code, kSuccess);
  ASSERT_EQ(resume({"--then-ncu", "1", "--ncu-set", "basic"}).code, kSuccess);
  EXPECT_TRUE(holds("counted_kernels"));
  EXPECT_TRUE(holds("\"mfu_pct\":1,")) << "1e12 FLOP/s of the stated 100e12";
  ASSERT_EQ(resume({"--stages", "step"}).code, kSuccess);
  EXPECT_TRUE(holds("counted_kernels"));
  EXPECT_FALSE(holds("mfu_pct"));
  EXPECT_EQ(times_ncu_ran(), 1U);
  ASSERT_EQ(resume({"--then-ncu", "1", "--ncu-set", "full"}).code, kSuccess);
  EXPECT_EQ(times_ncu_ran(), 2U) << "the report that was there is of another set";
}

TEST_F(TracedCommands, launches_are_counted_as_they_were_recorded) {
  fake_ncu();
  std::ofstream("script") << "launch _Z3addPf 16 100\nprofiler 1\nlaunch _Z3addPf 16 1000\n"
                             "profiler 0\n";
  ASSERT_EQ(profile({"--cuda-profiler-api"}, "script").code, kSuccess);
  ASSERT_EQ(run_command({"profile", "--resume", "last", "--then-ncu", "1"}).code, kSuccess);
  const fs::path kept = fs::path("assay-runs") / only_run() / "ncu" / "kernel_01.command";
  EXPECT_NE(read_file(kept).value().find("--profile-from-start\noff"), std::string::npos)
      << read_file(kept).value();
}

TEST_F(TracedCommands, counting_that_cannot_work_is_refused_before_anything_runs) {
  std::ofstream("script") << "launch a 1 1\n";
  EXPECT_EQ(profile({"--then-ncu", "1", "--ncu", "bin/ncu", "--delay", "1"}, "script").code,
            kUsage);
  EXPECT_FALSE(fs::exists("assay-runs"));
}

TEST_F(TracedCommands, a_sweep_tries_each_value_once_and_keeps_failures_apart) {
  for (const char* n : {"1", "4"}) {
    std::ofstream(std::string("script") + n)
        << "push step\nlaunch _Z3addPf " << n << " " << n << "000\npop\n";
  }
  std::ofstream("script9") << "what is this\n";
  const std::vector<std::string> words = {"profile",
                                          "--engine",
                                          "tracer",
                                          "--sweep",
                                          "n=1,4,9",
                                          "--",
                                          "/bin/sh",
                                          "-c",
                                          "exec \"$@\"",
                                          "--option",
                                          tracer::program_path().string(),
                                          "script{n}"};
  const CommandRun run = run_command(words);
  EXPECT_EQ(run.code, kRejected) << run.errors;
  EXPECT_NE(run.output.find("4.000 ms"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("failed, exit code 2"), std::string::npos) << run.output;
  const fs::path folder = fs::path("assay-runs") / only_run();
  EXPECT_NE(read_file(folder / "sweep.csv").value().find("\n4,done,"), std::string::npos);
  EXPECT_TRUE(read_file(folder / "sweep.svg").value().starts_with("<svg"));
  std::ofstream("script9") << "launch _Z3addPf 9 9000\n";
  const CommandRun again = run_command(words);
  EXPECT_EQ(again.code, kSuccess) << again.errors;
  EXPECT_NE(again.errors.find("n=4 was done before"), std::string::npos) << again.errors;
  EXPECT_EQ(again.errors.find("n=9 was done before"), std::string::npos) << again.errors;
  EXPECT_EQ(profile({"--sweep", "batch=1"}, "script").code, kUsage) << "there is no {batch}";
}

TEST_F(TracedCommands, processes_of_a_run_have_a_row_each) {
  std::ofstream("script") << "fork\nlaunch _Z3addPf 1 10\njoin\nlaunch _Z3mulPf 1 10\n";
  setenv("RANK", "2", 1);
  const CommandRun run = profile({"--ranks", "2"}, "script");
  unsetenv("RANK");
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_NE(run.errors.find("Processes of the run"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("rank2-"), std::string::npos) << run.errors;
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

/// The long names of a subcommand's options.
std::set<std::string> options_of(const std::vector<std::string>& command) {
  CLI::App app("test", "assay");
  add_diff(app);
  add_runs(app);
  const CLI::App* at = &app;
  for (const std::string& word : command) at = at->get_subcommand(word);
  std::set<std::string> names;
  for (const CLI::Option* option : at->get_options()) {
    names.insert(option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

TEST_F(ProfileCommands, runs_are_compared_with_every_option_that_profiles_are) {
  EXPECT_EQ(options_of({"runs", "diff"}), options_of({"diff"}));
  EXPECT_TRUE(options_of({"diff"}).contains("fail-if"));
  ASSERT_EQ(run_command({"profile", "--", "/bin/true"}).code, kSuccess);
  const std::string first = only_run();
  fs::copy_file("slower.sqlite", "train.sqlite", fs::copy_options::overwrite_existing);
  ASSERT_EQ(run_command({"profile", "--", "/bin/true"}).code, kSuccess);
  EXPECT_EQ(run_command({"runs", "diff", first, "last"}).code, kSuccess);
  const CommandRun failed = run_command(
      {"runs", "diff", first, "last", "--fail-if", "kernel_time > +5%", "--format", "json"});
  EXPECT_EQ(failed.code, kRejected) << failed.errors;
  EXPECT_TRUE(failed.output.starts_with("{")) << failed.output;
  const CommandRun wrong = run_command({"runs", "diff", first, "last", "--match", "nothing"});
  EXPECT_EQ(wrong.code, kUsage) << wrong.output;
  const std::string whole = run_command({"runs", "diff", first, "last"}).output;
  const std::string brief = run_command({"runs", "diff", first, "last", "--names", "short"}).output;
  EXPECT_LT(brief.size(), whole.size()) << brief;
}

TEST_F(ProfileCommands, refuse_what_they_cannot_do) {
  EXPECT_EQ(run_command({"profile"}).code, kUsage);
  EXPECT_EQ(run_command({"profile", "--nvtx-range", "x", "--cuda-profiler-api", "--", "true"}).code,
            kUsage);
  EXPECT_EQ(run_command({"profile", "--", "/nonexistent/program"}).code, 127)
      << "the engine ran, as a shell says it";
  const CommandRun shapeless =
      run_command({"profile", "--stages", "prefill:kind=prefill,tokens=8", "--", "true"});
  EXPECT_EQ(shapeless.code, kUsage);
  EXPECT_NE(shapeless.errors.find("give --model"), std::string::npos) << shapeless.errors;
  const CommandRun typeless =
      run_command({"profile", "--stages", "a:flop=1", "--dtype", "fp3", "--", "true"});
  EXPECT_EQ(typeless.code, kUsage) << "before the program runs for hours";
  EXPECT_EQ(run_command({"profile", "--then-ncu", "1", "--ncu", "/no/ncu", "--", "true"}).code,
            kUsage);
  EXPECT_EQ(run_command({"profile", "--then-ncu", "-1", "--", "true"}).code, kUsage);
  EXPECT_EQ(run_command({"profile", "--duration", "0", "--", "true"}).code, kUsage);
  EXPECT_EQ(run_command({"runs", "prune"}).code, kUsage);
  for (const char* days : {"-1", "1000000"}) {  // both would make every run old
    EXPECT_EQ(run_command({"runs", "prune", "--days", days}).code, kUsage) << days;
  }
}

}  // namespace
}  // namespace assay::cli
