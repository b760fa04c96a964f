#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/ids.hpp"
#include "model/names.hpp"
#include "model/request.hpp"

namespace assay {

enum class JobState : std::uint8_t {
  queued,
  building,
  waiting,  // for a device
  checking,
  timing,
  profiling,
  done,       // has a verdict
  failed,     // our fault: has an error
  cancelled,  // by the client
};

inline constexpr NameTable<JobState, 9> kJobStateNames = {{
    {JobState::queued, "queued"},
    {JobState::building, "building"},
    {JobState::waiting, "waiting"},
    {JobState::checking, "checking"},
    {JobState::timing, "timing"},
    {JobState::profiling, "profiling"},
    {JobState::done, "done"},
    {JobState::failed, "failed"},
    {JobState::cancelled, "cancelled"},
}};

constexpr std::string_view to_string(JobState state) {
  return name_in(kJobStateNames, state);
}

constexpr bool is_final(JobState state) {
  return state == JobState::done || state == JobState::failed || state == JobState::cancelled;
}

/// What can happen to a job.
enum class JobStep : std::uint8_t {
  start,      // a dispatcher took it from the queue
  prepare,    // it waits for what all builds of its kind need; it stays where it is
  built,      // both kernels are ready; it waits for a device
  leased,     // a device is held; outputs are being checked
  checked,    // outputs agree; runs are being timed
  timed,      // counters are being collected
  advance,    // it goes on where it is; the detail says how far it has come
  rebuild,    // it asked for more to be built; the device is given back
  finish,     // a verdict is known
  fail,       // our own failure, final
  cancel,     // the client asked
  interrupt,  // the process working on it died: back to the queue
};

inline constexpr NameTable<JobStep, 12> kJobStepNames = {{
    {JobStep::start, "start"},
    {JobStep::prepare, "prepare"},
    {JobStep::built, "built"},
    {JobStep::leased, "leased"},
    {JobStep::checked, "checked"},
    {JobStep::timed, "timed"},
    {JobStep::advance, "advance"},
    {JobStep::rebuild, "rebuild"},
    {JobStep::finish, "finish"},
    {JobStep::fail, "fail"},
    {JobStep::cancel, "cancel"},
    {JobStep::interrupt, "interrupt"},
}};

constexpr std::string_view to_string(JobStep step) {
  return name_in(kJobStepNames, step);
}

/// The whole state machine. Gives nothing if the state does not allow the step. A final state never
/// changes, so a job has exactly one end.
[[nodiscard]] std::optional<JobState> next_state(JobState state, JobStep step);

/// A line of a job's history. Sequence numbers start at 1 and have no holes within a job.
struct JobEvent {
  std::int64_t sequence = 0;
  WallTime at;
  JobState state = JobState::queued;
  std::string detail;  // for people; may be empty
};

struct Job {
  JobId id;
  RequestForm form = RequestForm::job;
  std::string body;  // the request as it came
  JobState state = JobState::queued;
  int priority = 0;
  int attempts = 0;  // times it was started
  WallTime created;
  std::optional<WallTime> started;  // of the newest attempt
  std::optional<WallTime> finished;
  std::optional<std::string> verdict;  // its name, when done
  std::optional<std::string> result;   // the Outcome as wire writes it, when done
  std::optional<Error> error;          // when failed
  std::string name{};                  // what the submitter calls it; may be empty
  std::string kernel_type{};           // of the candidate; empty: not known
  std::optional<double> speedup{};     // over the reference, where both were timed
  std::optional<std::string> owner{};  // the token that submitted it; absent: nobody in particular
};

}  // namespace assay
