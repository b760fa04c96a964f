#pragma once

#include <chrono>
#include <expected>
#include <string>

#include "api/callers.hpp"
#include "api/context.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "store/job_store.hpp"

namespace assay::api {

/// Why a job was not taken, and how long to wait if waiting helps.
struct NotTaken {
  Error error;
  std::chrono::seconds retry_after{};  // zero: it does not help
  int status = 0;                      // zero: what the error's code says
};

/// Takes a job in for the caller: within the caller's quotas, under the caller's name. The audit
/// log notes it. Only an admin can place a job before those of others.
[[nodiscard]] std::expected<store::Submission, NotTaken> take_in(Context& context,
                                                                 const Caller& caller,
                                                                 const http::Request& request,
                                                                 store::NewJob job);

[[nodiscard]] int status_of(const NotTaken& not_taken);

/// Adds Retry-After where it helps.
void add_retry_after(http::Response& response, const NotTaken& not_taken);

}  // namespace assay::api
