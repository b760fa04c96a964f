#include "queue/watchdog.hpp"

#include <chrono>
#include <future>

#include <gtest/gtest.h>

#include "base/clock.hpp"

namespace assay::queue {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Watchdog, rings_when_the_moment_passes) {
  const SystemClock clock;
  Watchdog watchdog(clock);
  std::promise<void> rang;
  const Alarm later = watchdog.set(clock.now() + hours(1), [] { FAIL(); });
  const Alarm alarm = watchdog.set(clock.now() + milliseconds(2), [&] { rang.set_value(); });
  rang.get_future().get();
}

TEST(Watchdog, moment_already_past_rings_at_once) {
  const SystemClock clock;
  Watchdog watchdog(clock);
  std::promise<void> rang;
  const Alarm alarm = watchdog.set(clock.now() - hours(1), [&] { rang.set_value(); });
  rang.get_future().get();
}

TEST(Watchdog, alarm_that_was_destroyed_does_not_ring) {
  const SystemClock clock;
  Watchdog watchdog(clock);
  {
    const Alarm gone = watchdog.set(clock.now() + milliseconds(1), [] { FAIL(); });
  }
  std::promise<void> rang;
  const Alarm alarm = watchdog.set(clock.now() + milliseconds(3), [&] { rang.set_value(); });
  rang.get_future().get();
}

TEST(Watchdog, alarm_that_was_put_off_rings_at_its_new_moment) {
  const SystemClock clock;
  Watchdog watchdog(clock);
  std::promise<SteadyTime> rang;
  Alarm alarm = watchdog.set(clock.now() + hours(1), [&] { rang.set_value(clock.now()); });
  alarm.reset(clock.now() + hours(2));
  const SteadyTime moment = clock.now() + milliseconds(2);
  alarm.reset(moment);
  EXPECT_GE(rang.get_future().get(), moment);
}

TEST(Watchdog, alarm_that_has_rung_cannot_be_put_off) {
  const SystemClock clock;
  Watchdog watchdog(clock);
  std::promise<void> rang;
  Alarm alarm = watchdog.set(clock.now(), [&] { rang.set_value(); });  // twice would throw
  rang.get_future().get();
  alarm.reset(clock.now());
  std::promise<void> after;
  const Alarm next = watchdog.set(clock.now(), [&] { after.set_value(); });
  after.get_future().get();
}

}  // namespace
}  // namespace assay::queue
