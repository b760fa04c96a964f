#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "base/os.hpp"
#include "cli/commands.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/sample_report.hpp"

namespace assay::cli {

struct CommandRun {
  int code = 0;
  std::string output;  // standard output
  std::string errors;  // standard error
};

/// Runs `assay ARGUMENTS`, of the commands that read profiles, in this process.
inline CommandRun run_command(std::vector<std::string> arguments) {
  CLI::App app("test", "assay");
  app.require_subcommand(1);
  add_analyze(app);
  add_diff(app);
  add_profile(app);
  add_runs(app);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CommandRun run;
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
    app.parse(std::move(reversed));
  } catch (const CLI::RuntimeError& end) {
    run.code = end.get_exit_code();
  } catch (const CLI::ParseError& error) {
    run.code = app.exit(error) == 0 ? kSuccess : kUsage;
  }
  run.output = testing::internal::GetCapturedStdout();
  run.errors = testing::internal::GetCapturedStderr();
  return run;
}

/// A folder with the profiles the documents speak of, as the current one while this lives.
class DemoFolder {
 public:
  DemoFolder() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.path());
    write("train.sqlite", {});
    write("infer.sqlite", {.training = false});
    write("slower.sqlite", {.gemm_scale = 1.2, .release = trace::NsysRelease::v3_13});
    write("flash.sqlite", {.fused_attention = true});
    std::ofstream("kernels.ncu-rep", std::ios::binary)
        << trace::testing::write_ncu_rep(trace::testing::sample_report());
  }
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  DemoFolder(DemoFolder&&) = delete;
  DemoFolder& operator=(DemoFolder&&) = delete;
  ~DemoFolder() { std::filesystem::current_path(before_); }

 private:
  static void write(const char* name, const trace::DemoOptions& options) {
    trace::NsysFixture fixture(options.release);
    trace::add_demo(fixture, options);
    fixture.write(name);
  }

  std::filesystem::path before_;
  TempDir folder_ = TempDir::create(std::filesystem::temp_directory_path(), "demo").value();
};

}  // namespace assay::cli
