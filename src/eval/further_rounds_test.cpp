#include "eval/further_rounds.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "eval/runner.hpp"
#include "eval/testkit/fake_clock.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "eval/testkit/gated_timing_fixture.hpp"
#include "model/outcome.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

using namespace testkit;

class FurtherRoundsTest : public GatedTimingTest {};

TEST_F(FurtherRoundsTest, kernel_that_gives_other_bits_each_time_is_accepted_and_claimed) {
  const Outcome outcome = compare(
      [calls = 0](testkit::Buffers b) mutable { return doubles_with_other_bits(b, ++calls); });
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::claimed);
  EXPECT_NE(outcome.candidate_timing->trust_reason.find("other bits"), std::string::npos);
}

TEST_F(FurtherRoundsTest, work_left_out_is_found_though_the_bits_differ_each_time) {
  const Outcome outcome = compare([calls = 0](testkit::Buffers b) mutable {
    return b.timing ? Attempt<void>{} : doubles_with_other_bits(b, ++calls);
  });
  ASSERT_EQ(name_of(outcome.verdict), "tampered") << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "timed_runs_differ");
}

TEST_F(FurtherRoundsTest, work_that_begins_again_when_answers_are_judged_costs_the_time) {
  // Timed calls leave it out until the first call beyond timing.
  const Outcome outcome =
      compare([this, calls = 0, timed = false, after = false](testkit::Buffers b) mutable {
        after = after || (timed && !b.timing);
        timed = timed || b.timing;
        candidate_gate_.call_ns = after ? 60e3 : 6e3;
        if (b.timing && !after) return Attempt<void>{};
        return doubles_with_other_bits(b, ++calls);
      });
  ASSERT_EQ(name_of(outcome.verdict), "tampered") << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "clock");
}

TEST_F(FurtherRoundsTest, work_in_the_last_call_alone_shows_where_answers_are_judged) {
  const Outcome outcome =
      compare([this, calls = 0, timed = false, after = false](testkit::Buffers b) mutable {
        after = after || (timed && !b.timing);
        timed = timed || b.timing;
        candidate_gate_.call_ns = 5e3;
        candidate_gate_.short_late_by = after ? 95e3 : 0;
        candidate_gate_.late_by.assign(400, after ? 95e3 : 0);
        return doubles_with_other_bits(b, ++calls);
      });
  ASSERT_EQ(name_of(outcome.verdict), "tampered") << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "clock");
}

TEST_F(FurtherRoundsTest, longer_short_rounds_do_not_hide_work_from_further_rounds) {
  const Outcome outcome =
      compare([this, calls = 0, timed = false, after = false](testkit::Buffers b) mutable {
        after = after || (timed && !b.timing);
        timed = timed || b.timing;
        candidate_gate_.call_ns = after ? 100e3 : 20e3;
        candidate_gate_.short_late_by = after ? 800e3 : 0;
        if (b.timing && !after) return Attempt<void>{};
        return doubles_with_other_bits(b, ++calls);
      });
  ASSERT_EQ(name_of(outcome.verdict), "tampered") << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "clock");
}

}  // namespace
}  // namespace assay::eval
