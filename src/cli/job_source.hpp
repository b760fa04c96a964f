#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "base/result.hpp"
#include "cli/engine.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// Called with each change of state as it happens: the state and a remark, which may be empty.
using OnProgress = std::function<void(std::string_view state, std::string_view detail)>;

/// Where jobs are run: a server, or this very process.
class JobSource {
 public:
  JobSource() = default;
  JobSource(const JobSource&) = delete;
  JobSource& operator=(const JobSource&) = delete;
  JobSource(JobSource&&) = delete;
  JobSource& operator=(JobSource&&) = delete;
  virtual ~JobSource() = default;

  /// The body is that of POST /v1/jobs. Returns the finished job as GET /v1/jobs/{id} shows it. If
  /// `stop` is requested, the job is cancelled and the call fails with `cancelled`.
  [[nodiscard]] virtual Result<wire::Value> run(std::string body, const OnProgress& on_progress,
                                                const std::stop_token& stop) = 0;

  /// What a finished job left, by its name in `artifacts` of the result. Fails with `not_found`
  /// where there is none.
  [[nodiscard]] virtual Result<std::string> artifact(std::string_view job,
                                                     std::string_view name) = 0;
};

/// Talks to the server at `url`, with a token where it wants one.
[[nodiscard]] std::unique_ptr<JobSource> remote_jobs(std::string url, const std::string& token);

/// Runs the same pipeline in place, with a store of its own that goes away afterwards.
[[nodiscard]] Result<std::unique_ptr<JobSource>> local_jobs(EngineOptions options, const Log& log);

}  // namespace assay::cli
