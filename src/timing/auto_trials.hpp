#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "timing/count_rule.hpp"
#include "timing/decided_rule.hpp"
#include "timing/median_interval_rule.hpp"
#include "timing/progress.hpp"
#include "timing/time_rule.hpp"

namespace assay::timing {

/// When to stop if the request says `"num_trials": "auto"`. Never before `fewest` batches, never
/// after `most` or the time limit. In between it stops as soon as the answer is good enough. With
/// two kernels the answer is the verdict on speed, with one its median. It looks only after a
/// quarter more has been measured: who looks often enough sees what he hopes for.
struct AutoTrials {
  CountRule fewest{10};
  CountRule most{160};  // batch noise of 1.5 % and a threshold of 1 % need 120 pairs
  TimeRule limit{std::chrono::seconds(10)};
  DecidedRule decided{};
  MedianIntervalRule precise{};

  [[nodiscard]] bool enough(const Progress& progress) const {
    if (!fewest.enough(progress)) return false;
    if (most.enough(progress) || limit.enough(progress)) return true;
    if (!is_time_to_look(std::max(progress.figures.size(), progress.pairs.size()))) return false;
    return progress.pairs.empty() ? precise.enough(progress) : decided.enough(progress);
  }

 private:
  [[nodiscard]] bool is_time_to_look(std::size_t batches) const {
    std::size_t look = std::max<std::size_t>(fewest.batches, 1);
    while (look < batches) look += (look + 3) / 4;
    return look == batches;
  }
};

}  // namespace assay::timing
