#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "cli/job_source.hpp"
#include "http/client.hpp"
#include "http/message.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// The headers for a server that wants a token; nothing without one.
[[nodiscard]] http::Headers credentials(const std::string& token);

/// One exchange with a server. An answer outside 2xx is an Error that carries its message.
[[nodiscard]] Result<wire::Value> call(http::Client& client, http::Method method,
                                       std::string_view path, const http::Headers& headers,
                                       std::string_view body, Deadline deadline);

/// Follows the events of the job at `path` ("/v1/jobs/ID") until it has ended. Connects again if
/// the connection breaks. Fails with `cancelled` when stopped.
[[nodiscard]] Result<void> follow_events(http::Client& client, const Clock& clock,
                                         const std::string& path, const OnProgress& on_progress,
                                         const std::stop_token& stop);

}  // namespace assay::cli
