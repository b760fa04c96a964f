#include "eval/limited_runners.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

using testing::HasSubstr;
using testkit::Behaviour;
using testkit::Buffers;
using testkit::doubles;
using testkit::FakeSource;

constexpr std::size_t kGiB = std::size_t{1} << 30U;

class LimitedRunnersTest : public testing::Test {
 protected:
  LimitedRunnersTest() {
    source_.free = 10 * kGiB;
    source_.limit = 2 * kGiB;
  }
  /// A right kernel that takes so much in its first call.
  Behaviour takes(std::size_t bytes, bool own = true) {
    return [this, bytes, own, taken = false](Buffers b) mutable {
      if (!std::exchange(taken, true)) {
        *source_.free -= bytes;
        if (own) source_.freed_by_end += bytes;
      }
      return doubles(b);
    };
  }
  Outcome evaluate_pair(Behaviour reference, Behaviour candidate) {
    source_.add(std::move(reference));
    source_.add(std::move(candidate));
    const Request request{.reference = testkit::kernel(), .candidate = testkit::kernel()};
    const EvaluationInput input{.request = request,
                                .reference = BuiltKernel{},
                                .candidate = {},
                                .secret = 42,
                                .budget = std::chrono::seconds(100),
                                .timed = false};
    return std::get<Outcome>(evaluate(input, source_, clock_, {}, {}).value());
  }

  ManualClock clock_;
  FakeSource source_{clock_};
};

TEST_F(LimitedRunnersTest, a_kernel_that_holds_too_much_is_out_of_memory_and_gone) {
  const Outcome outcome = evaluate_pair(doubles, takes(3 * kGiB));
  EXPECT_THAT(
      std::get<OutOfMemory>(outcome.verdict).reason,
      AllOf(HasSubstr("held 3.0 GiB"), HasSubstr("may hold 2.0 GiB"), HasSubstr("--gpu-memory")));
  EXPECT_EQ(source_.free, 10 * kGiB);
}

TEST_F(LimitedRunnersTest, a_reference_that_holds_too_much_has_failed) {
  const Outcome outcome = evaluate_pair(takes(3 * kGiB), doubles);
  EXPECT_EQ(std::get<ReferenceFailed>(outcome.verdict).verdict, "out_of_memory");
}

TEST_F(LimitedRunnersTest, two_kernels_within_the_limit_are_accepted) {
  const Outcome outcome = evaluate_pair(takes(2 * kGiB), takes(2 * kGiB));
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
}

TEST_F(LimitedRunnersTest, nobody_is_limited_where_there_is_no_limit_or_a_huge_one) {
  for (const auto limit : {std::optional<std::size_t>(), std::optional(SIZE_MAX)}) {
    source_.limit = limit;
    const Outcome outcome = evaluate_pair(doubles, takes(3 * kGiB));
    EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  }
}

TEST_F(LimitedRunnersTest, what_another_process_takes_is_not_the_kernels) {
  source_.add(doubles);
  source_.add(takes(3 * kGiB, false));
  const Outcome outcome = evaluate_pair(doubles, takes(3 * kGiB, false));
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
}

TEST_F(LimitedRunnersTest, what_a_kernel_gives_back_is_not_held) {
  int calls = 0;
  const auto takes_and_gives = [&](Buffers b) {
    *source_.free += ++calls % 2 == 0 ? kGiB : -kGiB;
    return doubles(b);
  };
  const Outcome outcome = evaluate_pair(doubles, takes_and_gives);
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_GT(calls, 4);
}

TEST_F(LimitedRunnersTest, an_ended_runner_says_the_same_to_every_command) {
  source_.add([&](Buffers) {
    *source_.free -= 3 * kGiB;
    source_.freed_by_end = 3 * kGiB;
    return Attempt<void>{};
  });
  LimitedRunners limited(source_);
  const Bounds bounds{Deadline(clock_, std::chrono::seconds(1)), {}};
  const auto runner = limited.fresh().value();
  ASSERT_TRUE(runner->warm(0, bounds));
  const auto first = runner->warm(1, bounds);
  const auto second = runner->warm(1, bounds);
  ASSERT_FALSE(first || second);
  EXPECT_EQ(reason_of(std::get<Fate>(second.error()).verdict),
            reason_of(std::get<Fate>(first.error()).verdict));
  EXPECT_FALSE(runner->cpu_time());
  EXPECT_TRUE(runner->pause());
  EXPECT_FALSE(limited.was_mistaken());
}

/// Takes memory when it is loaded, as a model with its weights.
class GreedyPython final : public PythonRunner {
 public:
  explicit GreedyPython(FakeSource& device) : device_(device) {}
  Attempt<PythonReply> call(const PythonCommand&, std::span<const int>, const Bounds&) override {
    *device_.free -= 3 * kGiB;
    device_.freed_by_end = 3 * kGiB;
    return Done{};
  }
  std::optional<std::chrono::nanoseconds> cpu_time() const override { return std::nullopt; }

 private:
  FakeSource& device_;
};

class PythonSource final : public RunnerSource {
 public:
  explicit PythonSource(FakeSource& device) : device_(device) {}
  Result<std::unique_ptr<Runner>> fresh() override { return device_.fresh(); }
  Result<std::unique_ptr<PythonRunner>> fresh_python(const Bounds&) override {
    return std::make_unique<GreedyPython>(device_);
  }
  Result<std::unique_ptr<SharedArena>> make_arena(std::size_t size) override {
    return device_.make_arena(size);
  }
  void await_ends(const Bounds& bounds) override { device_.await_ends(bounds); }
  std::optional<std::size_t> free_memory() const override { return device_.free_memory(); }
  std::optional<std::size_t> memory_limit() const override { return device_.memory_limit(); }

 private:
  FakeSource& device_;
};

TEST_F(LimitedRunnersTest, python_kernels_are_limited_too) {
  PythonSource source(source_);
  LimitedRunners limited(source);
  const Bounds bounds{Deadline(clock_, std::chrono::seconds(1)), {}};
  const auto reply = limited.fresh_python(bounds).value()->call(RunCommand{}, {}, bounds);
  ASSERT_FALSE(reply);
  EXPECT_EQ(name_of(std::get<Fate>(reply.error()).verdict), "out_of_memory");
}

}  // namespace
}  // namespace assay::eval
