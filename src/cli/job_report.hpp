#pragma once

#include <string>

#include "wire/value.hpp"

namespace assay::cli {

/// A finished job, as GET /v1/jobs/{id} shows it, as a table for people.
[[nodiscard]] std::string describe_job(const wire::Value& job);

/// 1234.5 ns as "1.23 µs".
[[nodiscard]] std::string human_time(double nanoseconds);

}  // namespace assay::cli
