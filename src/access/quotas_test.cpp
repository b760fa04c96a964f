#include "access/quotas.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "access/token.hpp"
#include "base/clock.hpp"

namespace assay::access {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

Token with(Limits limits) {
  return {.id = "1", .name = "ci", .scopes = {Scope::submit}, .limits = limits};
}

TEST(Quotas, without_limits_everything_is_taken) {
  const ManualClock clock;
  Quotas quotas(clock);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(quotas.take(with({}), 1000));
}

TEST(Quotas, rate_is_of_the_last_minute_and_says_when_to_come_back) {
  ManualClock clock;
  Quotas quotas(clock);
  const Token token = with({.per_minute = 2});
  EXPECT_FALSE(quotas.take(token, 0));
  clock.advance(seconds(20));
  EXPECT_FALSE(quotas.take(token, 0));
  const auto full = quotas.take(token, 0);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->retry_after, seconds(40));
  EXPECT_NE(full->message.find("2 jobs a minute"), std::string::npos);
  clock.advance(seconds(40));
  EXPECT_FALSE(quotas.take(token, 0));
  EXPECT_TRUE(quotas.take(token, 0)) << "a refusal counts for nothing, an admission does";
}

TEST(Quotas, job_that_was_not_made_is_given_back) {
  const ManualClock clock;
  Quotas quotas(clock);
  const Token token = with({.per_minute = 1});
  EXPECT_FALSE(quotas.take(token, 0));
  quotas.give_back(token);
  EXPECT_FALSE(quotas.take(token, 0));
  EXPECT_TRUE(quotas.take(token, 0));
}

TEST(Quotas, jobs_that_have_not_ended_are_limited) {
  const ManualClock clock;
  Quotas quotas(clock);
  EXPECT_FALSE(quotas.take(with({.concurrent = 3}), 2));
  EXPECT_TRUE(quotas.take(with({.concurrent = 3}), 3));
}

TEST(Quotas, device_time_is_of_the_last_day) {
  ManualClock clock;
  Quotas quotas(clock);
  const Token token = with({.device_seconds = 100});
  quotas.used_device("1", seconds(60));
  EXPECT_FALSE(quotas.take(token, 0));
  clock.advance(hours(1));
  quotas.used_device("1", seconds(60));
  quotas.used_device("2", seconds(1000));
  const auto full = quotas.take(token, 0);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->retry_after, hours(23));
  clock.advance(hours(23));
  EXPECT_FALSE(quotas.take(token, 0));
}

}  // namespace
}  // namespace assay::access
