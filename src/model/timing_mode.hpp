#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/names.hpp"

namespace assay {

/// What the device holds of the inputs when a timed call begins, and how it is launched.
enum class TimingMode : std::uint8_t {
  cold,   // nothing in the cache; what a GPU does unless told otherwise
  warm,   // what the call before left there; what `cpu` does, and all it can do
  graph,  // cold, and the call is captured and replayed as a CUDA graph
};

inline constexpr NameTable<TimingMode, 3> kTimingModeNames = {{
    {TimingMode::cold, "cold"},
    {TimingMode::warm, "warm"},
    {TimingMode::graph, "graph"},
}};

constexpr std::string_view to_string(TimingMode mode) {
  return name_in(kTimingModeNames, mode);
}

/// The message for a request that asks `cpu` for another mode.
inline constexpr std::string_view kOnlyWarmOnCpu =
    "The device 'cpu' times only in mode 'warm': leave timing.mode out, or name a GPU as device";

/// Differences below this are called the same, unless the request says otherwise: two runs of one
/// kernel differ by as much.
inline constexpr double kSameWithin = 0.02;

/// How a request wants its times taken.
struct TimingOptions {
  std::optional<TimingMode> mode{};  // absent: as the device does
  double threshold = kSameWithin;    // of the verdict on speed
};

}  // namespace assay
