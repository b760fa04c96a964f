#pragma once

#include "api/context.hpp"
#include "http/message.hpp"
#include "model/job.hpp"

namespace assay::api {

/// The answer of POST /evaluate and /compare for a finished job. What went wrong is always in the
/// body: as a compilation or validation error, or as a 500 with its message.
[[nodiscard]] http::Response compat_result(const Job& job, const HostInfo& host);

/// GET /job/{id}: the live phase and, when finished, the same body as above under "result".
[[nodiscard]] http::Response compat_job(const Job& job, const HostInfo& host);

/// The phase in the words of the compatible API: "submitted", "compiling", …, "completed".
[[nodiscard]] std::string_view compat_status(JobState state);

}  // namespace assay::api
