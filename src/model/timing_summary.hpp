#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.hpp"

namespace assay {

/// Holds what it is an interval of with 95 % confidence, where nothing else is said.
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

struct TimingSummary {
  std::vector<double> samples;  // ns, in the order taken, none discarded
  Statistics statistics;
  std::string method;  // how the time was taken: "cpu_wall_clock", "cuda_events"
};

enum class SpeedVerdict : std::uint8_t { faster, slower, same, undecided };

inline constexpr NameTable<SpeedVerdict, 4> kSpeedVerdictNames = {{
    {SpeedVerdict::faster, "faster"},
    {SpeedVerdict::slower, "slower"},
    {SpeedVerdict::same, "same"},
    {SpeedVerdict::undecided, "undecided"},
}};

constexpr std::string_view to_string(SpeedVerdict verdict) {
  return name_in(kSpeedVerdictNames, verdict);
}

/// Differences below this are called the same, unless the request says otherwise: two runs of one
/// kernel differ by as much.
inline constexpr double kSameWithin = 0.02;
/// Of the verdict on speed, which is wrong at most once in a hundred jobs.
inline constexpr double kSpeedConfidence = 0.99;

/// Reference time over candidate time: above 1 the candidate is faster.
struct Speed {
  double speedup = 1;                // the middle of the ratios of pairs of batches
  std::optional<Interval> interval;  // of `confidence`; none for too few pairs
  SpeedVerdict verdict = SpeedVerdict::undecided;
  double threshold = kSameWithin;  // how far from 1 the interval must lie, or within, for a verdict
  double confidence = kSpeedConfidence;
  std::size_t pairs = 0;  // of batches that were compared
};

}  // namespace assay
