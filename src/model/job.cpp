#include "model/job.hpp"

#include <optional>

namespace assay {
namespace {

/// The forward road. `finish` may come from any state on it: a verdict can be early.
std::optional<JobState> forward(JobState state, JobStep step) {
  switch (state) {
    case JobState::queued:
      if (step == JobStep::start) return JobState::building;
      break;
    case JobState::building:
      if (step == JobStep::prepare) return JobState::building;
      if (step == JobStep::built) return JobState::waiting;
      break;
    case JobState::waiting:
      if (step == JobStep::leased) return JobState::checking;
      break;
    case JobState::checking:
      if (step == JobStep::checked) return JobState::timing;
      break;
    case JobState::timing:
      if (step == JobStep::timed) return JobState::profiling;
      break;
    case JobState::profiling:
    case JobState::done:
    case JobState::failed:
    case JobState::cancelled:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<JobState> next_state(JobState state, JobStep step) {
  if (is_final(state)) return std::nullopt;
  switch (step) {
    case JobStep::fail:
      return JobState::failed;
    case JobStep::cancel:
      return JobState::cancelled;
    case JobStep::interrupt:
      if (state == JobState::queued) return std::nullopt;  // nobody was working on it
      return JobState::queued;
    case JobStep::finish:
      if (state == JobState::queued) return std::nullopt;  // nobody can know a verdict yet
      return JobState::done;
    case JobStep::advance:
      if (state == JobState::queued || state == JobState::waiting) return std::nullopt;
      return state;
    case JobStep::rebuild:
      if (state != JobState::checking) return std::nullopt;
      return JobState::building;
    case JobStep::start:
    case JobStep::prepare:
    case JobStep::built:
    case JobStep::leased:
    case JobStep::checked:
    case JobStep::timed:
      return forward(state, step);
  }
  return std::nullopt;
}

}  // namespace assay
