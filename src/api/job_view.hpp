#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "model/job.hpp"
#include "wire/value.hpp"

namespace assay::api {

struct JobViewOptions {
  bool with_samples = false;
  bool with_request = false;
};

/// "2026-01-31T12:00:00.123Z"
[[nodiscard]] std::string iso_time(WallTime time);

/// A job in a list: what it is and how it stands.
[[nodiscard]] wire::Value::Members job_summary(const Job& job);
/// Everything about a job.
[[nodiscard]] wire::Value job_view(const Job& job, const std::vector<JobEvent>& events,
                                   const JobViewOptions& options);
[[nodiscard]] wire::Value event_view(const JobEvent& event);

}  // namespace assay::api
