#include "eval/profiled_call.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

using namespace testkit;
using ::testing::ElementsAre;

class ProfiledCallTest : public testing::Test {
 protected:
  Attempt<void> call(Side side) {
    return make_profiled_call({.input = input_, .side = side, .range = "request_1_x"}, plain_,
                              profiled_, bounds());
  }
  Attempt<Counted> count(Side side) {
    return make_counted_call({.input = input_, .side = side}, {.metrics = {"dram__bytes.sum"}},
                             plain_, profiled_, bounds());
  }
  [[nodiscard]] Bounds bounds() const { return {Deadline(clock_, std::chrono::seconds(100)), {}}; }
  /// A runner that counts its calls, and notes how many went before the one in the range.
  void add_profiled(const Behaviour& behaviour) {
    FakeRunner& runner = profiled_.add([this, behaviour](Buffers buffers) {
      ++calls_;
      return behaviour(buffers);
    });
    runner.on_profile = [this](const std::string& range) {
      ranges_.push_back(range);
      calls_before_ = calls_;
    };
  }

  ManualClock clock_;
  FakeSource plain_{clock_};
  FakeSource profiled_{clock_};
  const Request request_{.reference = kernel(), .candidate = kernel()};
  const EvaluationInput input_{.request = request_,
                               .reference = BuiltKernel{},
                               .candidate = {},
                               .secret = 42,
                               .budget = std::chrono::seconds(100)};
  int calls_ = 0;
  int calls_before_ = 0;
  std::vector<std::string> ranges_;
};

TEST_F(ProfiledCallTest, is_one_call_in_the_range_after_the_kernel_has_answered) {
  plain_.add(doubles);  // the reference stands beside it, without a profiler
  add_profiled(doubles);
  ASSERT_TRUE(call(Side::custom));
  EXPECT_THAT(ranges_, ElementsAre("request_1_x"));
  EXPECT_GE(calls_before_, 1);
  EXPECT_EQ(calls_, calls_before_ + 1);
}

TEST_F(ProfiledCallTest, of_the_reference_needs_no_other_kernel) {
  add_profiled(doubles);
  ASSERT_TRUE(call(Side::original));
  EXPECT_THAT(ranges_, ElementsAre("request_1_x"));
}

TEST_F(ProfiledCallTest, is_made_whatever_the_kernel_answers) {
  add_profiled([this](Buffers b) {
    for (std::size_t i = 0; i < kCount; ++i) b.out[i] = static_cast<float>(calls_);
    return Attempt<void>{};
  });
  ASSERT_TRUE(call(Side::original));
  EXPECT_EQ(ranges_.size(), 1U);
}

TEST_F(ProfiledCallTest, is_not_made_where_the_kernel_does_not_run) {
  plain_.add(doubles);
  add_profiled(
      [](Buffers) { return Attempt<void>(std::unexpect, Fate{Crashed{.reason = "x"}, {}}); });
  const auto called = call(Side::custom);
  ASSERT_FALSE(called);
  EXPECT_TRUE(std::holds_alternative<Fate>(called.error()));
  EXPECT_TRUE(ranges_.empty());
}

TEST_F(ProfiledCallTest, needs_a_profiler_around_the_runner) {
  plain_.add(doubles);
  profiled_.add(doubles);
  EXPECT_FALSE(call(Side::custom));
}

TEST_F(ProfiledCallTest, that_its_runner_counts_comes_after_the_kernel_has_answered_too) {
  plain_.add(doubles);
  FakeRunner& runner = profiled_.add([this](Buffers buffers) {
    ++calls_;
    return doubles(buffers);
  });
  runner.on_count = [this](const CountCommand& command) {
    calls_before_ = calls_;
    return Counted{.values = {{command.metrics.at(0), 12}}};
  };
  const auto counted = count(Side::custom);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->values.at(0).value, 12);
  EXPECT_GE(calls_before_, 1);
}

TEST_F(ProfiledCallTest, is_not_counted_by_a_runner_that_cannot) {
  profiled_.add(doubles);
  const auto counted = count(Side::original);
  ASSERT_FALSE(counted);
  EXPECT_TRUE(std::holds_alternative<Fate>(counted.error()));
}

}  // namespace
}  // namespace assay::eval
