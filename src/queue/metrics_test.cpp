#include "queue/metrics.hpp"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "model/job.hpp"
#include "queue/histogram.hpp"
#include "queue/rate_window.hpp"

namespace assay::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Histogram, puts_a_duration_into_the_bucket_that_includes_it) {
  Histogram histogram;
  histogram.add(milliseconds(1));        // exactly the first bound
  histogram.add(milliseconds(2));        // above it
  histogram.add(std::chrono::hours(1));  // above all
  EXPECT_EQ(histogram.buckets[0], 1U);
  EXPECT_EQ(histogram.buckets[1], 1U);
  EXPECT_EQ(histogram.buckets.back(), 1U);
  EXPECT_EQ(histogram.count, 3U);
  EXPECT_DOUBLE_EQ(histogram.sum, 3600.003);
  EXPECT_DOUBLE_EQ(histogram.min, 0.001);
  EXPECT_DOUBLE_EQ(histogram.max, 3600.0);
}

TEST(RateWindow, counts_what_lies_within_the_span) {
  RateWindow window;
  window.add(SteadyTime(seconds(10)));
  window.add(SteadyTime(seconds(10)));
  window.add(SteadyTime(seconds(60)));
  EXPECT_EQ(window.count(SteadyTime(seconds(60)), seconds(60)), 3U);
  EXPECT_EQ(window.count(SteadyTime(seconds(70)), seconds(60)), 1U);
  EXPECT_EQ(window.count(SteadyTime(seconds(500)), RateWindow::kSpan), 0U);
}

TEST(RateWindow, second_of_long_ago_makes_room) {
  RateWindow window;
  window.add(SteadyTime(seconds(10)));
  window.add(SteadyTime(seconds(310)));
  EXPECT_EQ(window.count(SteadyTime(seconds(310)), RateWindow::kSpan), 1U);
}

TEST(Metrics, adds_up_what_happened) {
  ManualClock clock;
  Metrics metrics(clock);
  metrics.submitted();
  metrics.retried();
  metrics.phase(JobState::building, seconds(2));
  metrics.ended(JobState::done, "accepted", seconds(3));
  metrics.ended(JobState::failed, std::nullopt, seconds(1));
  clock.advance(seconds(90));
  const Totals totals = metrics.totals();
  EXPECT_EQ(totals.done, 1U);
  EXPECT_EQ(totals.failed, 1U);
  EXPECT_EQ(totals.verdicts.at("accepted"), 1U);
  EXPECT_DOUBLE_EQ(totals.phases.at(JobState::building).sum, 2.0);
  EXPECT_EQ(totals.finished_last_minute, 0U);
  EXPECT_EQ(totals.finished_last_five_minutes, 2U);
  EXPECT_EQ(totals.uptime, seconds(90));
}

TEST(Metrics, time_for_more_jobs_follows_the_rate_within_bounds) {
  ManualClock clock;
  Metrics metrics(clock);
  EXPECT_EQ(metrics.time_for(1), seconds(60)) << "nothing is known yet";
  for (int i = 0; i < 60; ++i) metrics.ended(JobState::done, "accepted", seconds(1));
  EXPECT_EQ(metrics.time_for(10), seconds(10));
  EXPECT_EQ(metrics.time_for(0), seconds(1));
  EXPECT_EQ(metrics.time_for(1000), seconds(60));
}

}  // namespace
}  // namespace assay::queue
