#pragma once

#include <string>

#include "cli/terminal.hpp"
#include "wire/value.hpp"

namespace assay::cli {

// Names and reasons are of others: control characters in them become `?`.

/// A job, as GET /v1/jobs/{id} shows it, as a table for people.
[[nodiscard]] std::string describe_job(const wire::Value& told,
                                       const Painter& paint = Painter(false));

/// A page of GET /v1/jobs as a table for people, with short ids.
[[nodiscard]] std::string job_table(const wire::Value& told, const Painter& paint = Painter(false));

/// 1234.5 ns as "1.23 µs".
[[nodiscard]] std::string human_time(double nanoseconds);

}  // namespace assay::cli
