#include "model/job.hpp"

#include <map>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace assay {
namespace {

using enum JobState;
using enum JobStep;

/// Every allowed move; all others must be refused.
const std::map<std::pair<JobState, JobStep>, JobState> kMoves = {
    {{queued, start}, building},       {{queued, fail}, failed},
    {{queued, cancel}, cancelled},     {{building, built}, waiting},
    {{building, finish}, done},        {{building, fail}, failed},
    {{building, cancel}, cancelled},   {{building, interrupt}, queued},
    {{waiting, leased}, checking},     {{waiting, finish}, done},
    {{waiting, fail}, failed},         {{waiting, cancel}, cancelled},
    {{waiting, interrupt}, queued},    {{checking, checked}, timing},
    {{checking, finish}, done},        {{checking, fail}, failed},
    {{checking, cancel}, cancelled},   {{checking, interrupt}, queued},
    {{timing, timed}, profiling},      {{timing, finish}, done},
    {{timing, fail}, failed},          {{timing, cancel}, cancelled},
    {{timing, interrupt}, queued},     {{profiling, finish}, done},
    {{profiling, fail}, failed},       {{profiling, cancel}, cancelled},
    {{profiling, interrupt}, queued},  {{checking, rebuild}, building},
    {{building, prepare}, building},   {{building, advance}, building},
    {{checking, advance}, checking},   {{timing, advance}, timing},
    {{profiling, advance}, profiling},
};

TEST(JobState, moves_exactly_as_the_table_says) {
  for (const auto& [state, state_name] : kJobStateNames) {
    for (const auto& [step, step_name] : kJobStepNames) {
      const auto expected = kMoves.find({state, step});
      const auto got = next_state(state, step);
      if (expected == kMoves.end()) {
        EXPECT_EQ(got, std::nullopt) << state_name << " + " << step_name;
      } else {
        EXPECT_EQ(got, expected->second) << state_name << " + " << step_name;
      }
    }
  }
}

TEST(JobState, final_states_never_change) {
  for (const JobState state : {done, failed, cancelled}) {
    EXPECT_TRUE(is_final(state));
    for (const auto& [step, name] : kJobStepNames) EXPECT_FALSE(next_state(state, step)) << name;
  }
}

TEST(JobState, every_state_can_still_end) {
  for (const auto& [state, name] : kJobStateNames) {
    if (is_final(state)) continue;
    const auto end = next_state(state, fail);
    EXPECT_TRUE(end && is_final(*end)) << name;
  }
}

}  // namespace
}  // namespace assay
