#include "queue/device_keeper.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.hpp"
#include "device/lease_pool.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "queue/fakes.hpp"

namespace assay::queue {
namespace {

using std::chrono::seconds;

class DeviceKeeperTest : public testing::Test {
 protected:
  [[nodiscard]] std::optional<std::string> why_out() const {
    return leases_.uses().front().out_of_service;
  }

  const std::vector<DeviceInfo> devices_ = {{.id = {"cuda:0"}, .kind = DeviceKind::cuda}};
  const DeviceId& id_ = devices_[0].id;
  AheadClock clock_;
  Log log_{-1};
  device::LeasePool leases_{{id_}, clock_};
  std::optional<std::string> fault_;
  DeviceKeeper keeper_{leases_, [this](const DeviceInfo&) { return fault_; }, clock_, log_};
};

TEST_F(DeviceKeeperTest, failures_in_a_row_take_a_device_out) {
  keeper_.failed(id_, "no context");
  keeper_.failed(id_, "no context");
  EXPECT_TRUE(keeper_.in_service(id_));
  keeper_.failed(id_, "no context");
  EXPECT_FALSE(keeper_.in_service(id_));
  EXPECT_EQ(why_out(), "3 attempts failed in a row: no context");
}

TEST_F(DeviceKeeperTest, success_in_between_counts_from_the_start) {
  keeper_.failed(id_, "x");
  keeper_.failed(id_, "x");
  keeper_.worked(id_);
  keeper_.failed(id_, "x");
  EXPECT_TRUE(keeper_.in_service(id_));
}

TEST_F(DeviceKeeperTest, fault_that_the_device_reports_takes_it_out_at_once) {
  fault_ = "GPU is lost";
  EXPECT_FALSE(keeper_.look(devices_));
  EXPECT_EQ(why_out(), "GPU is lost");
}

TEST_F(DeviceKeeperTest, device_is_tried_again_later_and_fails_faster_then) {
  fault_ = "GPU is lost";
  (void)keeper_.look(devices_);
  clock_.advance(seconds(60));
  EXPECT_FALSE(keeper_.look(devices_)) << "the fault is still there";
  fault_.reset();
  EXPECT_TRUE(keeper_.look(devices_));
  EXPECT_TRUE(keeper_.in_service(id_));
  EXPECT_FALSE(why_out());
  keeper_.failed(id_, "again");
  EXPECT_FALSE(keeper_.in_service(id_));
}

TEST_F(DeviceKeeperTest, device_stays_out_for_a_while_even_if_it_looks_well) {
  for (int i = 0; i < 3; ++i) keeper_.failed(id_, "wedged");
  EXPECT_FALSE(keeper_.look(devices_));
  EXPECT_FALSE(keeper_.in_service(id_));
}

}  // namespace
}  // namespace assay::queue
