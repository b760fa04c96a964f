#include "queue/build_both.hpp"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "queue/fakes.hpp"

namespace assay::queue {
namespace {

class BuildBothTest : public testing::Test {
 protected:
  Result<std::variant<BuiltPair, Verdict>> build(const std::string& candidate,
                                                 const std::optional<std::string>& reference = {},
                                                 const std::stop_token& stop = {}) {
    Request request{.candidate = {.source = candidate}};
    if (reference) request.reference = Kernel{.source = *reference};
    return build_both(builder_, request, DeviceKind::cpu, Deadline(clock_, std::chrono::seconds(5)),
                      stop);
  }
  SystemClock clock_;
  FakeBuilder builder_;
};

TEST_F(BuildBothTest, gives_both_kernels) {
  const auto pair = std::get<BuiltPair>(build("a", "b").value());
  EXPECT_EQ(pair.candidate.entry, "a");
  EXPECT_EQ(pair.reference.value_or(BuiltKernel{}).entry, "b");
}

TEST_F(BuildBothTest, candidate_alone_has_no_reference) {
  EXPECT_FALSE(std::get<BuiltPair>(build("a").value()).reference);
}

TEST_F(BuildBothTest, both_are_built_at_the_same_time) {
  std::jthread opener([&] {
    builder_.gate.await(2);
    builder_.gate.open();
  });
  EXPECT_TRUE(std::holds_alternative<BuiltPair>(build("slow_build a", "slow_build b").value()));
}

TEST_F(BuildBothTest, failing_reference_stops_the_candidate_and_decides) {
  const auto built = build("slow_build", "broken").value();
  EXPECT_EQ(std::get<ReferenceFailed>(std::get<Verdict>(built)).verdict, "did_not_compile");
}

TEST_F(BuildBothTest, failing_candidate_gives_its_own_verdict) {
  EXPECT_EQ(name_of(std::get<Verdict>(build("broken", "a").value())), "did_not_compile");
}

TEST_F(BuildBothTest, failure_of_ours_is_an_error_whichever_build_has_it) {
  EXPECT_EQ(build("a", "no_compiler").error().code(), ErrorCode::internal);
  EXPECT_EQ(build("no_compiler", "a").error().code(), ErrorCode::internal);
}

TEST_F(BuildBothTest, stopping_ends_both_with_cancelled) {
  std::stop_source stop;
  std::jthread stopper([&] {
    builder_.gate.await(2);
    stop.request_stop();
  });
  EXPECT_EQ(build("slow_build a", "slow_build b", stop.get_token()).error().code(),
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace assay::queue
