#include "worker/undertaker.hpp"

#include <chrono>
#include <memory>
#include <semaphore>
#include <stop_token>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "eval/runner.hpp"

namespace assay::worker {
namespace {

/// Something that ends only when it is let go.
struct Slow {
  explicit Slow(std::binary_semaphore& held) : gate(held) {}
  ~Slow() { gate.acquire(); }
  Slow(const Slow&) = delete;
  Slow& operator=(const Slow&) = delete;
  Slow(Slow&&) = delete;
  Slow& operator=(Slow&&) = delete;
  std::binary_semaphore& gate;
};

class UndertakerTest : public testing::Test {
 protected:
  eval::Bounds within(std::chrono::milliseconds time) { return {Deadline(clock_, time), {}}; }

  SystemClock clock_;
  std::binary_semaphore gate_{0};
  Undertaker<std::unique_ptr<Slow>> undertaker_;
};

TEST_F(UndertakerTest, nobody_waits_where_nothing_is_dead) {
  EXPECT_TRUE(undertaker_.await_all(within(std::chrono::milliseconds(0))));
}

TEST_F(UndertakerTest, who_waits_is_told_when_all_are_gone_and_not_before) {
  undertaker_.take(std::make_unique<Slow>(gate_));
  EXPECT_FALSE(undertaker_.await_all(within(std::chrono::milliseconds(10))));
  gate_.release();
  EXPECT_TRUE(undertaker_.await_all(within(std::chrono::minutes(1))));
}

TEST_F(UndertakerTest, waiting_ends_when_stopped) {
  undertaker_.take(std::make_unique<Slow>(gate_));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(
      undertaker_.await_all({Deadline(clock_, std::chrono::minutes(1)), stop.get_token()}));
  gate_.release();
}

}  // namespace
}  // namespace assay::worker
