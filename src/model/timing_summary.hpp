#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_state.hpp"
#include "model/names.hpp"
#include "model/timing_mode.hpp"

namespace assay {

/// Holds the true value with 95 % confidence, unless something else is said.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Times in nanoseconds, never rounded.
struct Statistics {
  double mean = 0;
  double std = 0;  // population, as the compatible API has it
  double min = 0;
  double max = 0;
  double median = 0;
  double percentile_95 = 0;
  double percentile_99 = 0;
  std::optional<Interval> median_interval;  // distribution-free; none for too few samples
};

/// What one call takes, in nanoseconds.
struct CallTime {
  double ns = 0;
  std::optional<Interval> interval{};  // none for too few measurements
};

/// Who wrote what a call has the GPU do.
enum class KernelOrigin : std::uint8_t {
  own,       // defined or launched by the submitted source
  library,   // any other kernel
  transfer,  // a copy or memset
};

inline constexpr NameTable<KernelOrigin, 3> kKernelOriginNames = {{
    {KernelOrigin::own, "own"},
    {KernelOrigin::library, "library"},
    {KernelOrigin::transfer, "transfer"},
}};

constexpr std::string_view to_string(KernelOrigin origin) {
  return name_in(kKernelOriginNames, origin);
}

/// One kernel, copy or memset that a call has the GPU do.
struct KernelShare {
  std::string name;
  std::size_t launches = 1;              // by one call
  double ns = 0;                         // of all its launches in one call
  double share = 0;                      // of the busy time, 0 to 1
  std::optional<KernelOrigin> origin{};  // of the candidate's; absent for the reference's
};

/// What the GPU itself says it did in one call.
struct KernelTime {
  double busy_ns = 0;                // union of the intervals of kernels, copies and memsets
  std::optional<double> span_ns{};   // from the first start to the last end
  std::vector<KernelShare> kernels;  // those that take most first
};

/// How far a time can be believed.
enum class Trust : std::uint8_t {
  measured_outside,  // taken by a process that runs none of the submission's code
  replayed,  // taken of the same work in a runner that never held the submission's host code
  claimed,   // by the process that ran the submission; `trust_reason` says why no better
};

inline constexpr NameTable<Trust, 3> kTrustNames = {{
    {Trust::measured_outside, "measured_outside"},
    {Trust::replayed, "replayed"},
    {Trust::claimed, "claimed"},
}};

constexpr std::string_view to_string(Trust trust) {
  return name_in(kTrustNames, trust);
}

/// One batch of timed calls, without its samples.
struct BatchSummary {
  std::size_t samples = 0;
  double median_ns = 0;
  std::chrono::nanoseconds wall{};              // by the worker's clock
  std::optional<std::string> unused_because{};  // its times are kept, but nothing is told from them
  std::optional<DeviceState> state{};           // of a GPU
};

/// How long one kernel takes. Three times are kept apart: how long the device spends on a call, how
/// long its kernels are busy, and how long a caller waits.
struct TimingSummary {
  std::vector<double> samples;  // ns, in the order taken, none discarded
  Statistics statistics;        // of the samples that are used
  std::string method;           // how the samples were taken: "cpu_wall_clock", "cuda_events_held"
  TimingMode mode = TimingMode::cold;

  /// The time that results show first. On a GPU the gate gives it, or events if `trust` is
  /// `claimed`. On `cpu` it is the median by the wall clock. Only outcomes of older versions lack
  /// it.
  std::optional<CallTime> device_time{};
  /// From activity records; on `cpu` there is none.
  std::optional<KernelTime> kernel_time{};
  std::string kernel_time_missing{};  // why there is none, on a GPU
  /// What a caller waits when nothing is queued: from the call to the end of its work. On `cpu` it
  /// is the device time.
  std::optional<CallTime> host_time{};
  /// The call itself waits for the device, so its device time includes time of the host.
  bool host_included = false;
  std::optional<Trust> trust{};
  std::string trust_reason{};              // what the time was taken by, or why it is only claimed
  std::optional<double> event_overhead{};  // ns, of the events themselves; taken off already
  /// How many ns longer the launches of one call take in this process than in the quickest one on
  /// this GPU. Taken off already.
  std::optional<double> launch_excess{};
  std::vector<BatchSummary> batches{};
  std::optional<bool> clocks_locked{};  // of a GPU, while it was timed
};

enum class SpeedVerdict : std::uint8_t {
  faster,
  slower,
  same,
  undecided,
  not_judged,  // nobody asked, and the times are those of the `cpu` device, or only claims
};

inline constexpr NameTable<SpeedVerdict, 5> kSpeedVerdictNames = {{
    {SpeedVerdict::faster, "faster"},
    {SpeedVerdict::slower, "slower"},
    {SpeedVerdict::same, "same"},
    {SpeedVerdict::undecided, "undecided"},
    {SpeedVerdict::not_judged, "not_judged"},
}};

constexpr std::string_view to_string(SpeedVerdict verdict) {
  return name_in(kSpeedVerdictNames, verdict);
}

/// The confidence of the verdict on speed: it is wrong at most once in a hundred jobs.
inline constexpr double kSpeedConfidence = 0.99;

/// Reference time over candidate time: above 1 the candidate is faster.
struct Speed {
  double speedup = 1;                     // the middle of the ratios of pairs of batches
  std::optional<Interval> interval;       // of `confidence`; the verdict is told from it
  std::optional<Interval> interval_95{};  // of 95 %; none for too few pairs
  SpeedVerdict verdict = SpeedVerdict::undecided;
  double threshold = kSameWithin;  // differences below it are called the same
  double confidence = kSpeedConfidence;
  std::size_t pairs = 0;  // of batches that were compared
};

}  // namespace assay
