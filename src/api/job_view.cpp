#include "api/job_view.hpp"

#include <chrono>
#include <cstddef>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/job.hpp"
#include "model/request.hpp"
#include "wire/outcome.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

using wire::Value;

/// Whether an event only says more of the state that the one before it began.
bool goes_on(const std::vector<JobEvent>& events, std::size_t i) {
  return i > 0 && events[i].state == events[i - 1].state;
}

/// How long each state lasted, in order; the present one of a running job has no end yet. What is
/// said last of a state is its detail.
Value::Elements phases(const std::vector<JobEvent>& events) {
  Value::Elements list;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (is_final(events[i].state) || goes_on(events, i)) continue;
    std::size_t last = i;
    while (last + 1 < events.size() && goes_on(events, last + 1)) ++last;
    Value::Members phase = {{"state", to_string(events[i].state)},
                            {"started", iso_time(events[i].at)}};
    if (last + 1 < events.size()) {
      phase.emplace_back("duration_ms", (events[last + 1].at - events[i].at).count());
    }
    if (!events[last].detail.empty()) phase.emplace_back("detail", events[last].detail);
    list.push_back(std::move(phase));
  }
  return list;
}

Value result_value(const std::string& stored, bool with_samples) {
  if (with_samples) return Value::raw(stored);
  const auto outcome = wire::decode_outcome(stored);
  if (!outcome) return Value::raw(stored);
  return Value::raw(wire::encode_outcome(*outcome, /*with_samples=*/false));
}

}  // namespace

std::string iso_time(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     (time - seconds).count());
}

Value::Members job_summary(const Job& job) {
  Value::Members view = {{"id", job.id.value},          {"state", to_string(job.state)},
                         {"form", to_string(job.form)}, {"priority", job.priority},
                         {"attempts", job.attempts},    {"created", iso_time(job.created)}};
  if (job.started) view.emplace_back("started", iso_time(*job.started));
  if (job.finished) view.emplace_back("finished", iso_time(*job.finished));
  if (job.verdict) view.emplace_back("verdict", *job.verdict);
  if (!job.name.empty()) view.emplace_back("name", job.name);
  if (!job.kernel_type.empty()) view.emplace_back("kernel_type", job.kernel_type);
  if (job.speedup) view.emplace_back("speedup", *job.speedup);
  if (job.error) {
    view.emplace_back("error", Value::Members{{"code", to_string(job.error->code())},
                                              {"message", job.error->message()}});
  }
  return view;
}

Value job_view(const Job& job, const std::vector<JobEvent>& events, const JobViewOptions& options) {
  Value::Members view = job_summary(job);
  view.emplace_back("phases", phases(events));
  if (job.result) view.emplace_back("result", result_value(*job.result, options.with_samples));
  if (options.with_request) view.emplace_back("request", Value::raw(job.body));
  return view;
}

Value event_view(const JobEvent& event) {
  Value::Members view = {
      {"sequence", event.sequence}, {"state", to_string(event.state)}, {"at", iso_time(event.at)}};
  if (!event.detail.empty()) view.emplace_back("detail", event.detail);
  return view;
}

}  // namespace assay::api
