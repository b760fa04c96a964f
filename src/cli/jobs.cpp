#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/clock.hpp"
#include "cli/commands.hpp"
#include "cli/job_report.hpp"
#include "cli/remote.hpp"
#include "http/client.hpp"
#include "http/message.hpp"
#include "http/url.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kAnswerWithin{30};

struct JobsOptions {
  std::string server = "http://127.0.0.1:8000";
  std::string id;  // empty: list
  bool cancel = false;
  bool json = false;
  int limit = 20;
  std::vector<std::string> states;
  std::vector<std::string> verdicts;
};

std::string list_path(const JobsOptions& options) {
  std::string path = fmt::format("/v1/jobs?limit={}", options.limit);
  for (const auto& state : options.states) path += "&state=" + http::url_encode(state);
  for (const auto& verdict : options.verdicts) path += "&verdict=" + http::url_encode(verdict);
  return path;
}

void print_list(const wire::Value& page) {
  fmt::print("{:<36}  {:<24}  {:<10}  {}\n", "id", "created", "state", "verdict");
  for (const wire::Value& job : page["jobs"].elements()) {
    fmt::print("{:<36}  {:<24}  {:<10}  {}\n", job["id"].text(), job["created"].text(),
               job["state"].text(), job["verdict"].text());
  }
}

int show(const JobsOptions& options) {
  const SystemClock clock;
  http::Client client(options.server);
  const std::string path =
      options.id.empty() ? list_path(options) : "/v1/jobs/" + http::url_encode(options.id);
  const auto method = options.cancel ? http::Method::del : http::Method::get;
  const auto answer = call(client, method, path, {}, "", Deadline(clock, kAnswerWithin));
  if (!answer) return report(answer.error());
  if (options.json) {
    fmt::print("{}\n", answer->dump(/*pretty=*/true));
  } else if (options.cancel) {
    fmt::print("{} {}\n", (*answer)["id"].text(), (*answer)["state"].text());
  } else if (options.id.empty()) {
    print_list(*answer);
  } else {
    fmt::print("{}\n", describe_job(*answer));
  }
  return kSuccess;
}

}  // namespace

void add_jobs(CLI::App& app) {
  auto* command = app.add_subcommand("jobs", "List, show or cancel jobs of a server");
  auto options = std::make_shared<JobsOptions>();  // shared with the callback
  command->add_option("ID", options->id, "Show this job; without it, list jobs, newest first");
  command->add_option("--server", options->server, "The server to ask")
      ->envname("ASSAY_SERVER")
      ->capture_default_str();
  command->add_flag("--cancel", options->cancel, "Cancel the job");
  command->add_option("--state", options->states, "Only jobs in this state");
  command->add_option("--verdict", options->verdicts, "Only jobs with this verdict");
  command->add_option("--limit", options->limit, "How many to list")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print what the server answers");
  command->footer("Examples:\n  assay jobs --state queued\n  assay jobs ID --cancel");
  command->callback([options, command] {
    if (options->cancel && options->id.empty()) {
      throw CLI::ValidationError("--cancel", "needs the ID of a job");
    }
    throw CLI::RuntimeError(show(*options));
  });
}

}  // namespace assay::cli
