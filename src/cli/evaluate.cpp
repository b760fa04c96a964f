#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/engine.hpp"
#include "cli/engine_flags.hpp"
#include "cli/job_report.hpp"
#include "cli/job_source.hpp"
#include "cli/request_flags.hpp"
#include "cli/signals.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

struct EvaluateOptions {
  RequestFlags request;
  EngineOptions engine;
  std::string server;  // empty: in place
  bool json = false;
  bool quiet = false;
  bool is_comparison = false;
};

constexpr int kStandardError = 2;
constexpr int kInterrupted = 130;

/// "checking …" on standard error while work runs: one line, rewritten on a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled)
      : enabled_(enabled), terminal_(::isatty(kStandardError) == 1) {}
  void operator()(std::string_view state, std::string_view detail) const {
    if (!enabled_) return;
    const std::string remark = detail.empty() ? "" : fmt::format(" ({})", detail);
    fmt::print(stderr, "{}{}{}{}", terminal_ ? "\r\033[K" : "", state, remark,
               terminal_ ? " …" : "\n");
    std::fflush(stderr);
  }
  void clear() const {
    if (enabled_ && terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool enabled_;
  bool terminal_;
};

Result<std::unique_ptr<JobSource>> open_source(const EvaluateOptions& options, const Log& log) {
  if (!options.server.empty()) return remote_jobs(options.server);
  return local_jobs(options.engine, log);
}

int evaluate(const EvaluateOptions& options) {
  const Log log(kStandardError, LogLevel::warning);
  const SignalStop signals;
  auto body = request_body(options.request, options.is_comparison);
  if (!body) return report(body.error());
  auto source = open_source(options, log);
  if (!source) return report(source.error());
  const ProgressLine progress(!options.quiet && !options.json);
  const auto job = (*source)->run(
      std::move(*body),
      [&](std::string_view state, std::string_view detail) { progress(state, detail); },
      signals.token());
  progress.clear();
  if (!job) {
    return job.error().code() == ErrorCode::cancelled ? kInterrupted : report(job.error());
  }
  fmt::print("{}\n", options.json ? job->dump(/*pretty=*/true) : describe_job(*job));
  if ((*job)["state"].text() != "done") return kFailure;
  return (*job)["verdict"].text() == "accepted" ? kSuccess : kRejected;
}

void add_command(CLI::App& app, const char* name, const char* summary, const char* example,
                 bool is_comparison) {
  auto* command = app.add_subcommand(name, summary);
  auto options = std::make_shared<EvaluateOptions>();  // shared with the callback
  options->is_comparison = is_comparison;
  options->engine.cache_dir = default_data_dir() / "cache";
  add_request_flags(*command, options->request, is_comparison);
  command->add_option("--server", options->server, "Ask this server instead of working in place")
      ->envname("ASSAY_SERVER");
  command->add_option("--cache-dir", options->engine.cache_dir, "Where builds are kept")
      ->envname("ASSAY_CACHE_DIR")
      ->capture_default_str();
  add_engine_flags(*command, options->engine);
  command->add_flag("--json", options->json, "Print the whole job as JSON");
  command->add_flag("--quiet,-q", options->quiet, "Show no progress");
  command->footer(std::string("Examples:\n") + example);
  command->callback([options] { throw CLI::RuntimeError(evaluate(*options)); });
}

}  // namespace

void add_evaluate(CLI::App& app) {
  add_command(app, "evaluate", "Run and time one kernel",
              "  assay evaluate request.json\n"
              "  assay evaluate --candidate scale.cu --io scale.io.json --json",
              false);
}

void add_compare(CLI::App& app) {
  add_command(app, "compare", "Judge a kernel against a reference",
              "  assay compare request.json\n"
              "  assay compare --reference naive.cu --candidate fast.cu --io io.json --rtol 1e-4",
              true);
}

}  // namespace assay::cli
