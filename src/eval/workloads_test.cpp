#include "eval/workloads.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "model/io_contract.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "model/workload.hpp"

namespace assay::eval {
namespace {

using testkit::Buffers;
using testkit::doubles;
using testkit::kernel;

/// The same kernel over inputs of another size of numbers.
Workload with_mean(std::string name, double mean) {
  IoContract io = *kernel().io;
  std::get<TensorArg>(io.args[0].value).content = Randn{.mean = mean};
  return {.name = std::move(name), .reference_io = io, .candidate_io = io, .constants = {}};
}

class WorkloadsTest : public testing::Test {
 protected:
  Outcome compare(std::vector<Workload> workloads, const testkit::Behaviour& candidate) {
    for (std::size_t i = 0; i <= workloads.size(); ++i) {
      source_.add(doubles);
      source_.add(candidate);
    }
    const Request request{.reference = kernel(),
                          .candidate = kernel(),
                          .num_trials = 10,
                          .workloads = std::move(workloads)};
    const EvaluationInput input{.request = request,
                                .reference = BuiltKernel{},
                                .candidate = {},
                                .secret = 5,
                                .budget = std::chrono::hours(1)};
    return std::get<Outcome>(evaluate(input, source_, clock_, {}, {}).value());
  }

  ManualClock clock_;
  testkit::FakeSource source_{clock_};
};

TEST_F(WorkloadsTest, all_are_checked_and_the_request_alone_is_timed) {
  int timed = 0;
  const Outcome outcome = compare({with_mean("high", 50), with_mean("higher", 90)}, [&](Buffers b) {
    timed += b.timing && b.in[0] > 30 ? 1 : 0;
    return doubles(b);
  });
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  ASSERT_EQ(outcome.check->workloads.size(), 2U);
  for (const WorkloadChecked& workload : outcome.check->workloads) {
    EXPECT_EQ(workload.verdict, "accepted");
    EXPECT_EQ(workload.rounds_passed, 3);
  }
  EXPECT_EQ(timed, 0);
  EXPECT_TRUE(outcome.candidate_timing);
}

TEST_F(WorkloadsTest, a_candidate_that_is_wrong_at_another_size_is_refused_by_its_name) {
  const Outcome outcome = compare({with_mean("high", 50)}, [](Buffers b) {
    auto done = doubles(b);
    if (b.in[0] > 30) b.out[0] = 0;
    return done;
  });
  ASSERT_TRUE(std::holds_alternative<WrongAnswer>(outcome.verdict));
  EXPECT_THAT(reason_of(outcome.verdict), testing::HasSubstr("in the workload 'high'"));
  EXPECT_EQ(outcome.check->workloads.at(0).verdict, "wrong_answer");
  EXPECT_FALSE(outcome.candidate_timing);
  EXPECT_FALSE(outcome.speed);
}

TEST(Workloads, the_order_follows_from_the_secret_and_has_all) {
  std::set<std::vector<std::size_t>> seen;
  for (std::uint64_t secret = 0; secret < 40; ++secret) {
    auto order = secret_order(4, secret);
    EXPECT_EQ(order, secret_order(4, secret));
    seen.insert(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
  }
  EXPECT_GT(seen.size(), 10U);
}

TEST(Workloads, contracts_and_constants_are_those_of_the_workload) {
  Workload workload = with_mean("high", 50);
  workload.constants = {{"n", "3"}};
  const Request request{
      .reference = kernel(), .candidate = kernel(), .workloads = {workload, workload}};
  const Request other = over_workload(request, workload);
  EXPECT_TRUE(other.workloads.empty());
  EXPECT_EQ(other.candidate.constants, workload.constants);
  EXPECT_EQ(other.reference->constants, workload.constants);
  const auto& input = std::get<TensorArg>(other.candidate.io->args[0].value);
  EXPECT_EQ(std::get<Randn>(input.content).mean, 50);
}

}  // namespace
}  // namespace assay::eval
