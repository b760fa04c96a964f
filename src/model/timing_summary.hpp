#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.hpp"

namespace assay {

/// Times in nanoseconds, never rounded.
struct Statistics {
  double mean = 0;
  double std = 0;  // population, as the compatible API has it
  double min = 0;
  double max = 0;
  double median = 0;
  double percentile_95 = 0;
  double percentile_99 = 0;
  double median_low = 0;  // 95 % interval of the median, distribution-free
  double median_high = 0;
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

/// Reference time over candidate time: above 1 the candidate is faster.
struct Speed {
  double speedup = 1;  // ratio of medians
  double low = 1;      // 95 % interval
  double high = 1;
  SpeedVerdict verdict = SpeedVerdict::undecided;
};

}  // namespace assay
