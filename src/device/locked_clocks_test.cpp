#include "device/locked_clocks.hpp"

#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/nvml.hpp"
#include "device/testkit/fake_gpus.hpp"

namespace assay::device {
namespace {

constexpr const char* kSecond = "GPU-02000000-0000-0000-0000-000000000000";

class LockedClocksTest : public testing::Test {
 protected:
  FakeGpus gpus_{{{.uuid = 1}, {.uuid = 2}}};
  const Nvml nvml_ = gpus_.nvml();
};

TEST_F(LockedClocksTest, hold_one_gpu_until_they_go) {
  {
    auto locked = LockedClocks::lock(nvml_, kSecond, {.megahertz = 1500});
    ASSERT_TRUE(locked);
    const LockedClocks moved = *std::move(locked);
    EXPECT_EQ(gpus_[1].locked_at, 1500U);
    EXPECT_EQ(gpus_[0].locked_at, std::nullopt);
  }
  EXPECT_EQ(gpus_[1].locked_at, std::nullopt);
}

TEST_F(LockedClocksTest, base_clock_is_the_drivers_to_know) {
  const auto locked = LockedClocks::lock(nvml_, kSecond, {});
  ASSERT_TRUE(locked);
  EXPECT_EQ(gpus_[1].locked_at, 0xFFFFFF01U);
}

TEST_F(LockedClocksTest, refusal_is_told_and_changes_nothing) {
  gpus_[1].keeps_its_clocks = true;
  gpus_[1].locked_at = 1200;  // by somebody else
  const auto refused = LockedClocks::lock(nvml_, kSecond, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(refused.error().message(), "the driver refuses: Insufficient Permissions");
  EXPECT_EQ(gpus_[1].locked_at, 1200U);
}

TEST_F(LockedClocksTest, unknown_gpu_and_old_library_are_told) {
  EXPECT_EQ(LockedClocks::lock(nvml_, "GPU-9", {}).error().code(), ErrorCode::not_found);
  Nvml old = nvml_;
  old.lock_clocks = nullptr;
  EXPECT_EQ(LockedClocks::lock(old, kSecond, {}).error().message(),
            "this driver cannot lock clocks");
}

TEST(ClockChoice, is_base_or_megahertz) {
  EXPECT_EQ(parse_clock_choice("base"), ClockChoice{});
  EXPECT_EQ(parse_clock_choice("1500"), ClockChoice{1500});
  for (const char* wrong : {"", "fast", "0", "-1", "15e2", "1500 MHz", "99999"}) {
    EXPECT_EQ(parse_clock_choice(wrong).error().code(), ErrorCode::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace assay::device
