#include <chrono>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "cli/job_source.hpp"
#include "cli/remote.hpp"
#include "http/client.hpp"
#include "http/message.hpp"
#include "model/job.hpp"
#include "model/names.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kAnswerWithin{30};
constexpr std::chrono::hours kJobWithin{24};
constexpr int kReconnects = 20;

bool is_last(std::string_view state) {
  const auto known = value_in(kJobStateNames, state);
  return known && is_final(*known);
}

Error where_is_it(const Error& error) {
  if (error.code() != ErrorCode::unavailable) return error;
  return {error.code(), error.message() +
                            ". Is the server running? `assay serve` starts one, "
                            "--server names another"};
}

class RemoteJobs final : public JobSource {
 public:
  RemoteJobs(std::string url, const std::string& token)
      : client_(std::move(url), credentials(token)) {}

  Result<wire::Value> run(std::string body, const OnProgress& on_progress,
                          const std::stop_token& stop) override {
    // The key makes the request safe to send again after a broken connection.
    const http::Headers headers = {{"Content-Type", "application/json"},
                                   {"Idempotency-Key", random_uuid()}};
    ASSAY_TRY(const wire::Value job, call(client_, http::Method::post, "/v1/jobs", headers, body,
                                          deadline(kAnswerWithin)));
    const std::string path = "/v1/jobs/" + std::string(job["id"].text());
    auto watched = follow_events(client_, clock_, path, on_progress, stop);
    if (!watched) {
      if (watched.error().code() == ErrorCode::cancelled) {
        const auto ignored =
            call(client_, http::Method::del, path, {}, "", deadline(kAnswerWithin));
      }
      return std::unexpected(watched.error());
    }
    return call(client_, http::Method::get, path, {}, "", deadline(kAnswerWithin));
  }

  Result<std::string> artifact(std::string_view job, std::string_view name) override {
    const std::string path = fmt::format("/v1/jobs/{}/artifacts/{}", job, name);
    ASSAY_TRY(http::Response response,
              client_.send(http::Method::get, path, {}, "", deadline(kAnswerWithin)));
    if (response.status != 200) {
      return fail(ErrorCode::not_found,
                  fmt::format("the server answered {} for {}", response.status, path));
    }
    return std::move(response.body);
  }

 private:
  Deadline deadline(std::chrono::nanoseconds within) const { return {clock_, within}; }

  SystemClock clock_;
  http::Client client_;
};

}  // namespace

Result<wire::Value> call(http::Client& client, http::Method method, std::string_view path,
                         const http::Headers& headers, std::string_view body, Deadline deadline) {
  const auto sent = client.send(method, path, headers, body, deadline);
  if (!sent) return std::unexpected(where_is_it(sent.error()));
  const http::Response& response = *sent;
  auto value = wire::Value::parse(response.body);
  if (response.status < 300) {
    if (!value) return fail(ErrorCode::unavailable, "the server's answer is not JSON");
    return value;
  }
  const std::string_view message = value ? (*value)["error"]["message"].text() : "";
  const bool ours_to_mend = response.status >= 400 && response.status < 500;
  return fail(ours_to_mend ? ErrorCode::invalid_argument : ErrorCode::unavailable,
              fmt::format("the server answered {}: {}", response.status,
                          message.empty() ? std::string_view(response.body) : message));
}

Result<void> follow_events(http::Client& client, const Clock& clock, const std::string& path,
                           const OnProgress& on_progress, const std::stop_token& stop) {
  std::string last_id;
  bool ended = false;
  int attempt = 0;  // since the last event
  while (true) {
    auto streamed = client.stream_events(
        path + "/events", last_id,
        [&](std::string_view id, std::string_view, std::string_view data) {
          last_id = id;
          attempt = 0;
          if (const auto event = wire::Value::parse(data)) {
            ended = is_last((*event)["state"].text());
            on_progress((*event)["state"].text(), (*event)["detail"].text());
          }
          return true;
        },
        Deadline(clock, kJobWithin), stop);
    if (ended) return {};
    // A server ends streams that have lasted for long.
    const bool broken = streamed || streamed.error().code() == ErrorCode::unavailable;
    if (!broken) return streamed;
    if (++attempt > kReconnects) {
      return fail(ErrorCode::unavailable, "the server ended the stream before the job had ended");
    }
  }
}

http::Headers credentials(const std::string& token) {
  if (token.empty()) return {};
  return {{"Authorization", "Bearer " + token}};
}

std::unique_ptr<JobSource> remote_jobs(std::string url, const std::string& token) {
  return std::make_unique<RemoteJobs>(std::move(url), token);
}

}  // namespace assay::cli
