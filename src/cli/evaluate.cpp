#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/os.hpp"
#include "base/printable.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/default_data_dir.hpp"
#include "cli/engine.hpp"
#include "cli/engine_flags.hpp"
#include "cli/file_watch.hpp"
#include "cli/job_report.hpp"
#include "cli/job_source.hpp"
#include "cli/kernel_page.hpp"
#include "cli/progress.hpp"
#include "cli/request_flags.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "trace/ncu/rep_reader.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

struct EvaluateOptions {
  RequestFlags request;
  EngineOptions engine;
  std::string server;  // empty: in place
  std::string token;
  bool json = false;
  bool quiet = false;
  bool is_comparison = false;
  bool watches = false;
  bool explains = false;                      // what the counters say, instead of the verdict
  std::optional<std::filesystem::path> html;  // a page about the counters
};

Result<std::unique_ptr<JobSource>> open_source(const EvaluateOptions& options, const Log& log) {
  if (!options.server.empty()) return remote_jobs(options.server, options.token);
  return local_jobs(options.engine, log);
}

/// The body to submit, which asks for counters and what they say where the command explains them.
Result<std::string> body_of(const EvaluateOptions& options) {
  if (!options.explains) return request_body(options.request, options.is_comparison);
  // One kernel can be explained by itself.
  const bool has_two = options.request.files.size() > 1 || options.request.reference;
  ASSAY_TRY(const std::string body, request_body(options.request, has_two));
  ASSAY_TRY(const wire::Value parsed, wire::Value::parse(body));
  wire::Value::Members members = parsed.members();
  std::erase_if(members, [](const auto& member) { return member.first == "explain"; });
  members.emplace_back("explain", true);
  return wire::Value(std::move(members)).dump();
}

/// Text that speaks of a field of requests, said of the option.
std::string with_option(std::string text, std::string_view field, std::string_view option) {
  const std::size_t at = text.find(field);
  if (at != std::string::npos) text.replace(at, field.size(), option);
  return text;
}

/// The page about the counters. The verdict and its reason stand above it where the kernel was not
/// accepted, and where there are no counters to speak of.
std::string explanation_of(const wire::Value& job, const Painter& painter) {
  const wire::Value& result = job["result"];
  const std::string page =
      with_option(printable(result["explanation"].text()), R"("device": "cuda")", "--device cuda");
  const bool is_told =
      job["verdict"].text() == "accepted" && !page.empty() && !result["device_metrics"].is_null();
  return is_told ? page : describe_job(job, painter) + (page.empty() ? "" : "\n\n" + page);
}

/// A refusal names the fields of the request. What was typed as an option is called by its name.
Error in_words_of(const RequestFlags& flags, const Error& error) {
  const std::string& message = error.message();
  const auto named = [&](bool typed, std::string_view field, std::string_view option) {
    return typed && message.starts_with(field)
               ? std::optional(Error(error.code(), with_option(message, field, option)))
               : std::nullopt;
  };
  if (auto told = named(flags.device.has_value(), "device: ", "--device: ")) return *told;
  if (auto told = named(!flags.sanitize.empty(), "sanitize: ", "--sanitize: ")) return *told;
  if (auto told = named(flags.timing_mode.has_value(), "timing.mode: ", "--timing-mode: ")) {
    return *told;
  }
  return error;
}

/// A page about the counters, with source lines where the report is kept and has them.
trace::Report page_about(const wire::Value& job, JobSource& source) {
  trace::Report page = kernel_page(job);
  const auto bytes = source.artifact(job["id"].text(), "candidate.ncu-rep");
  if (!bytes) return page;
  if (const auto counted = trace::parse_ncu_rep(*bytes)) add_source(*counted, page);
  return page;
}

/// Runs one request and shows what came of it. Returns the exit code.
int judge(const EvaluateOptions& options, std::string body, JobSource& source,
          ProgressLine& progress, const std::stop_token& stop) {
  const auto job = source.run(
      std::move(body),
      [&](std::string_view state, std::string_view detail) { progress.show(state, detail); }, stop);
  progress.clear();
  if (!job) {
    return job.error().code() == ErrorCode::cancelled
               ? kInterrupted
               : report(in_words_of(options.request, job.error()));
  }
  const Painter painter(wants_colour(STDOUT_FILENO));
  fmt::print("{}\n", options.json       ? job->dump(/*pretty=*/true)
                           : options.explains ? explanation_of(*job, painter)
                                        : describe_job(*job, painter));
  std::fflush(stdout);
  if (options.html) {
    const auto page = trace::render(page_about(*job, source), trace::Format::html);
    if (auto written = write_file_atomically(*options.html, page); !written) {
      return report(written.error());
    }
  }
  if ((*job)["state"].text() != "done") return kFailure;
  return (*job)["verdict"].text() == "accepted" ? kSuccess : kRejected;
}

/// Judges again whenever a file is saved, until interrupted. What is wrong with a file is said, and
/// its next version waited for.
int judge_every_version(const EvaluateOptions& options, std::string first, JobSource& source,
                        ProgressLine& progress, const std::stop_token& stop) {
  FileWatch watch;
  Result<std::string> body = std::move(first);
  while (true) {
    watch.follow(files_of(options.request));
    const int code = body ? judge(options, *body, source, progress, stop) : report(body.error());
    if (code == kInterrupted) return kSuccess;
    progress.show("watching", "waiting for the next save; Ctrl-C stops");
    if (::isatty(STDERR_FILENO) != 1) progress.clear();  // a log needs no reminders of that
    const bool changed = watch.wait(stop);
    progress.clear();
    if (!changed) return kSuccess;
    fmt::print("\n");
    body = body_of(options);
  }
}

int evaluate(const EvaluateOptions& options) {
  const Log log(STDERR_FILENO, LogLevel::warning);
  const SystemClock clock;
  const SignalStop signals;
  auto body = body_of(options);
  if (!body) return report(body.error());
  ProgressLine progress(!options.quiet && !options.json, ::isatty(STDERR_FILENO) == 1, clock);
  progress.show("starting", options.server);
  auto source = open_source(options, log);
  if (!source) {
    progress.clear();
    return report(source.error());
  }
  const auto run = options.watches ? judge_every_version : judge;
  return run(options, *std::move(body), **source, progress, signals.token());
}

struct CommandText {
  const char* name;
  const char* files;  // what is typed behind it
  const char* summary;
  const char* examples;
};

/// Names the files that belong behind the command, where the library says "[FILES(0x)]".
class UsageOf : public CLI::Formatter {
 public:
  explicit UsageOf(std::string files) : files_(std::move(files)) {}
  [[nodiscard]] std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return fmt::format("Usage: {} [OPTIONS] {}\n", name, files_);
  }

 private:
  std::string files_;
};

void add_command(CLI::App& app, const CommandText& text, bool is_comparison,
                 void (*adjust)(EvaluateOptions&) = nullptr) {
  auto* command = app.add_subcommand(text.name, text.summary);
  command->formatter(std::make_shared<UsageOf>(text.files));
  auto options = std::make_shared<EvaluateOptions>();  // shared with the callback
  options->is_comparison = is_comparison;
  if (adjust != nullptr) adjust(*options);
  options->engine.cache_dir = default_data_dir() / "cache";
  add_request_flags(*command, options->request, is_comparison);
  command->add_option("--server", options->server, "Let this server do the work, not this machine")
      ->envname("ASSAY_SERVER");
  command->add_option("--token", options->token, "Your token for that server")
      ->envname("ASSAY_TOKEN");
  command->add_option("--cache-dir", options->engine.cache_dir, "Where builds are kept")
      ->envname("ASSAY_CACHE_DIR")
      ->capture_default_str();
  add_engine_flags(*command, options->engine);
  if (options->explains) {
    command->add_option("--html", options->html,
                        "Write a page too: roofline, why warps wait, every number of both kernels");
  }
  command->add_flag("--json", options->json, "Print the whole job as JSON");
  command->add_flag("--quiet,-q", options->quiet, "Show no progress");
  command->footer(std::string("Examples:\n") + text.examples);
  command->callback([options] { throw CLI::RuntimeError(evaluate(*options)); });
}

}  // namespace

void add_evaluate(CLI::App& app) {
  add_command(app,
              {.name = "evaluate",
               .files = "KERNEL",
               .summary = "Run and time one kernel",
               .examples = "  assay evaluate request.json\n"
                           "  assay evaluate scale.cu --io scale.io.json --json"},
              false);
}

void add_compare(CLI::App& app) {
  add_command(app,
              {.name = "compare",
               .files = "REFERENCE CANDIDATE",
               .summary = "Judge a kernel against a reference",
               .examples = "  assay compare reference.py candidate.cu\n"
                           "  assay compare naive.cu fast.cu --io io.json --rtol 1e-4\n"
                           "  assay compare request.json\n"
                           "  cat fast.cu | assay compare naive.cu - --io io.json"},
              true);
}

void add_watch(CLI::App& app) {
  add_command(app,
              {.name = "watch",
               .files = "REFERENCE CANDIDATE",
               .summary = "Judge a kernel against a reference again on every save",
               .examples = "  assay watch reference.py candidate.cu"},
              true, [](EvaluateOptions& options) { options.watches = true; });
}

void add_profile_kernel(CLI::App& app) {
  add_command(app,
              {.name = "profile-kernel",
               .files = "REFERENCE CANDIDATE",
               .summary = "Say what limits a kernel, using the GPU's counters",
               .examples = "  assay profile-kernel request.json\n"
                           "  assay profile-kernel naive.cu fast.cu --io io.json"},
              true, [](EvaluateOptions& options) { options.explains = true; });
}

}  // namespace assay::cli
