#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay::worker {

/// What the worker's evaluation is doing, as far as starting runners disturbs it.
enum class Activity : std::uint8_t { none, checking, timing };

/// How many runners shall stand ready during `activity`, of the `most` that may. The next
/// evaluation takes two. More can wait until this one has ended, because making a context on a GPU
/// holds up every other call of the driver. Timed runs are not disturbed at all.
[[nodiscard]] constexpr std::size_t wanted_spares(Activity activity, std::size_t most) {
  constexpr std::size_t kOfOneEvaluation = 2;
  switch (activity) {
    case Activity::none:
      return most;
    case Activity::checking:
      return std::min(most, kOfOneEvaluation);
    case Activity::timing:
      return 0;
  }
  return most;
}

}  // namespace assay::worker
