#include <chrono>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/job_report.hpp"
#include "cli/progress.hpp"
#include "cli/remote.hpp"
#include "cli/signals.hpp"
#include "cli/suggestion.hpp"
#include "cli/terminal.hpp"
#include "http/client.hpp"
#include "http/message.hpp"
#include "http/url.hpp"
#include "model/job.hpp"
#include "model/names.hpp"
#include "model/verdict.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kAnswerWithin{30};
constexpr std::size_t kWholeId = 36;

struct JobsOptions {
  std::string server = "http://127.0.0.1:8000";
  std::string token;
  std::string id;  // empty: list; its beginning is enough
  bool cancel = false;
  bool follow = false;
  bool json = false;
  int limit = 20;
  std::vector<std::string> states;
  std::vector<std::string> verdicts;
};

class Jobs {
 public:
  explicit Jobs(const JobsOptions& options)
      : options_(options), client_(options.server, credentials(options.token)) {}

  int run() {
    if (options_.id.empty() && !options_.follow) return list();
    const auto id = whole_id();
    if (!id) return report(id.error());
    const std::string path = "/v1/jobs/" + http::url_encode(*id);
    if (options_.cancel) return cancel(path);
    if (options_.follow) {
      if (const int code = follow(path); code != kSuccess) return code;
    }
    return show(path);
  }

 private:
  Result<wire::Value> ask(http::Method method, const std::string& path) {
    return call(client_, method, path, {}, "", Deadline(clock_, kAnswerWithin));
  }

  /// The one job whose id begins so; the newest one where nothing was given.
  Result<std::string> whole_id() {
    if (options_.id.size() >= kWholeId) return options_.id;
    ASSAY_TRY(const wire::Value page,
              ask(http::Method::get, options_.id.empty()
                                         ? std::string("/v1/jobs?limit=1")
                                         : "/v1/jobs?limit=3&id=" + http::url_encode(options_.id)));
    const auto& found = page["jobs"].elements();
    if (found.empty()) {
      return fail(ErrorCode::not_found,
                  options_.id.empty() ? std::string("the server has no job yet")
                                      : fmt::format("no job's id begins with {}; `assay jobs` "
                                                    "lists them",
                                                    options_.id));
    }
    if (found.size() > 1) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("several jobs' ids begin with {}: give more of it", options_.id));
    }
    return std::string(found.front()["id"].text());
  }

  int list() {
    std::string path = fmt::format("/v1/jobs?limit={}", options_.limit);
    for (const auto& state : options_.states) path += "&state=" + http::url_encode(state);
    for (const auto& verdict : options_.verdicts) path += "&verdict=" + http::url_encode(verdict);
    const auto page = ask(http::Method::get, path);
    if (!page) return report(page.error());
    if (options_.json) {
      fmt::print("{}\n", page->dump(/*pretty=*/true));
    } else {
      fmt::print("{}", job_table(*page, Painter(wants_colour(STDOUT_FILENO))));
    }
    return kSuccess;
  }

  int cancel(const std::string& path) {
    const auto answer = ask(http::Method::del, path);
    if (!answer) return report(why_not_cancelled(path, answer.error()));
    fmt::print("{} {}\n", (*answer)["id"].text(), (*answer)["state"].text());
    return kSuccess;
  }

  /// A job that has ended is the usual reason.
  Error why_not_cancelled(const std::string& path, const Error& refused) {
    const auto job = ask(http::Method::get, path);
    if (!job) return refused;
    const auto state = value_in(kJobStateNames, (*job)["state"].text());
    if (!state || !is_final(*state)) return refused;
    return {ErrorCode::invalid_argument, fmt::format("{} is {}: it cannot be cancelled",
                                                     (*job)["id"].text(), to_string(*state))};
  }

  int follow(const std::string& path) {
    const SignalStop signals;
    ProgressLine progress(!options_.json, ::isatty(STDERR_FILENO) == 1, clock_);
    const auto followed = follow_events(
        client_, clock_, path,
        [&](std::string_view state, std::string_view detail) { progress.show(state, detail); },
        signals.token());
    progress.clear();
    if (followed) return kSuccess;
    return followed.error().code() == ErrorCode::cancelled ? kInterrupted
                                                           : report(followed.error());
  }

  int show(const std::string& path) {
    const auto job = ask(http::Method::get, path);
    if (!job) return report(job.error());
    fmt::print("{}\n", options_.json ? job->dump(/*pretty=*/true)
                                     : describe_job(*job, Painter(wants_colour(STDOUT_FILENO))));
    return kSuccess;
  }

  const JobsOptions& options_;
  SystemClock clock_;
  http::Client client_;
};

template <class Enum, std::size_t N>
std::vector<std::string> names_of(const NameTable<Enum, N>& table) {
  std::vector<std::string> names;
  for (const auto& [value, name] : table) names.emplace_back(name);
  return names;
}

}  // namespace

void add_jobs(CLI::App& app) {
  auto* command = app.add_subcommand("jobs", "List, show, follow or cancel jobs of a server");
  auto options = std::make_shared<JobsOptions>();  // shared with the callback
  command->add_option(
      "ID", options->id,
      "Show this job; the beginning of its id is enough. Without it, list jobs, newest first");
  command->add_option("--server", options->server, "The server to ask")
      ->envname("ASSAY_SERVER")
      ->capture_default_str();
  command->add_option("--token", options->token, "Your token for the server")
      ->envname("ASSAY_TOKEN");
  command->add_flag("--cancel", options->cancel, "Cancel the job");
  command->add_flag("--follow,-f", options->follow,
                    "Say what the job does until it has ended (without ID: the newest)");
  command->add_option("--state", options->states, "Only jobs in this state")
      ->check(one_of(names_of(kJobStateNames)));
  command->add_option("--verdict", options->verdicts, "Only jobs with this verdict")
      ->check(one_of({kVerdictNames.begin(), kVerdictNames.end()}));
  command->add_option("--limit", options->limit, "How many to list")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print what the server answers");
  command->footer(
      "Examples:\n  assay jobs --state queued\n  assay jobs 3f2a --follow\n"
      "  assay jobs 3f2a --cancel");
  command->callback([options] {
    if (options->cancel && options->id.empty()) {
      throw CLI::ValidationError("--cancel", "needs the ID of a job");
    }
    throw CLI::RuntimeError(Jobs(*options).run());
  });
}

}  // namespace assay::cli
