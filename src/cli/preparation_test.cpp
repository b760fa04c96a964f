#include "cli/preparation.hpp"

#include <atomic>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"

namespace assay::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Has nothing to make for torch, has made it for cuda when told so.
class Toolshed final : public compile::Builder {
 public:
  Result<void> prepare(KernelType, DeviceKind, const Deadline& deadline,
                       const std::stop_token& stop) override {
    if (ready) return {};
    if (deadline.remaining() < std::chrono::seconds(1)) {
      return fail(ErrorCode::unavailable, "not ready");
    }
    while (!ready && !stop.stop_requested()) std::this_thread::yield();
    if (!ready) return fail(ErrorCode::cancelled, "stopped");
    return {};
  }
  std::string preparation(KernelType type, DeviceKind) const override {
    return type == KernelType::torch ? "" : std::string(to_string(type)) + " headers";
  }
  Result<compile::BuildOutcome> build(const Kernel&, DeviceKind, const Deadline&,
                                      const std::stop_token&) override {
    return fail(ErrorCode::internal, "builds nothing");
  }
  Result<compile::BuildOutcome> build_extensions(const std::vector<ExtensionCall>&, DeviceKind,
                                                 const Deadline&, const std::stop_token&) override {
    return fail(ErrorCode::internal, "builds nothing");
  }
  compile::BuildStats stats() const override { return {}; }

  std::atomic<bool> ready = false;
};

class PreparationTest : public testing::Test {
 protected:
  std::vector<Preparation::Item> items_ = {{KernelType::cuda, DeviceKind::cpu},
                                           {KernelType::torch, DeviceKind::cpu},
                                           {KernelType::torch_cuda, DeviceKind::cpu}};
  Toolshed shed_;
  SystemClock clock_;
  Log log_{2, LogLevel::error};
};

TEST_F(PreparationTest, lists_what_is_missing_until_it_is_made) {
  const Preparation preparation(shed_, items_, clock_, log_);
  EXPECT_THAT(preparation.pending(), ElementsAre("cuda headers", "torch_cuda headers"));
  shed_.ready = true;
  while (!preparation.pending().empty()) std::this_thread::yield();
}

TEST_F(PreparationTest, has_nothing_to_do_where_all_is_there) {
  shed_.ready = true;
  EXPECT_THAT(Preparation(shed_, items_, clock_, log_).pending(), IsEmpty());
}

TEST_F(PreparationTest, can_be_stopped_in_the_middle) {
  const Preparation preparation(shed_, items_, clock_, log_);
  EXPECT_EQ(preparation.pending().size(), 2U);
}

}  // namespace
}  // namespace assay::cli
