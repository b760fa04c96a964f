#include "eval/gated_timing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "eval/testkit/fake_clock.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "eval/testkit/gated_timing_fixture.hpp"
#include "eval/timed_contender.hpp"
#include "judge/compare.hpp"
#include "model/device_info.hpp"
#include "model/device_state.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/timing_mode.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

using namespace testkit;

TEST_F(GatedTimingTest, honest_kernel_is_timed_and_confirmed_from_outside) {
  candidate_gate_.call_ns = 10e3;
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::measured_outside);
  EXPECT_EQ(outcome.candidate_timing->method, "cuda_events_held");
  EXPECT_DOUBLE_EQ(outcome.candidate_timing->device_time->ns, 10e3);
  EXPECT_DOUBLE_EQ(outcome.candidate_timing->host_time->ns, 40e3);
  EXPECT_FALSE(outcome.candidate_timing->host_included);
  EXPECT_EQ(outcome.candidate_timing->samples.size(), 100U);
  EXPECT_DOUBLE_EQ(outcome.speed->speedup, 2);
  EXPECT_EQ(outcome.speed->verdict, SpeedVerdict::faster);
}

TEST_F(GatedTimingTest, timed_calls_that_leave_their_work_out_are_tampering) {
  const Outcome outcome =
      compare([](testkit::Buffers b) { return b.timing ? Attempt<void>{} : doubles(b); });
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "timed_runs_differ");
}

TEST_F(GatedTimingTest, answer_kept_from_an_earlier_call_is_found) {
  const Outcome outcome = compare([calls = 0](testkit::Buffers b) mutable {
    return b.timing && ++calls > 20 ? Attempt<void>{} : doubles(b);
  });
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "timed_runs_differ");
}

/// Of integers, which do not vary from call to call.
Attempt<void> doubles_integers(testkit::Buffers b) {
  for (std::size_t i = 0; i < kCount; ++i) {
    b.out[i] = std::bit_cast<float>(2 * std::bit_cast<std::int32_t>(b.in[i]));
  }
  return {};
}

Kernel kernel_of_integers() {
  Kernel kernel = testkit::kernel();
  for (Argument& argument : kernel.io->args) {
    auto& tensor = std::get<TensorArg>(argument.value);
    tensor.dtype = DType::int32;
    if (argument.name == "in") tensor.content = Uniform{.low = 0, .high = 1000};
  }
  return kernel;
}

TEST_F(GatedTimingTest, integers_cannot_vary_and_honest_kernels_over_them_are_claimed) {
  kernel_ = kernel_of_integers();
  reference_ = doubles_integers;
  const Outcome outcome = compare(doubles_integers);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::claimed);
}

TEST_F(GatedTimingTest, answer_kept_over_integers_is_found_after_timing) {
  kernel_ = kernel_of_integers();
  reference_ = doubles_integers;
  const Outcome outcome =
      compare([calls = 0, kept = std::array<float, kCount>{}](testkit::Buffers b) mutable {
        if (++calls <= 20) {
          auto done = doubles_integers(b);
          std::copy_n(b.out, kCount, kept.begin());
          return done;
        }
        std::ranges::copy(kept, b.out);
        return Attempt<void>{};
      });
  ASSERT_EQ(name_of(outcome.verdict), "tampered") << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "timed_runs_differ");
}

TEST_F(GatedTimingTest, kernels_that_keep_the_same_state_are_accepted_and_told_of) {
  const auto count_calls = [calls = 0](testkit::Buffers b) mutable {
    auto done = doubles(b);
    b.out[0] += static_cast<float>(++calls);
    return done;
  };
  reference_ = count_calls;
  const Outcome outcome = compare(count_calls);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.warnings.at(0).code, "keeps_state");
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::claimed);
}

TEST_F(GatedTimingTest, call_that_cannot_be_queued_is_timed_as_it_is) {
  outside_.can_be_queued = false;
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_TRUE(outcome.candidate_timing->host_included);
  EXPECT_EQ(outcome.candidate_timing->method, "worker_clock");
  EXPECT_NEAR(outcome.candidate_timing->device_time->ns, 20e3, 1);
}

TEST_F(GatedTimingTest, runners_without_gates_are_timed_by_their_claims_and_say_why) {
  reference_has_gate_ = candidate_has_gate_ = false;
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::claimed);
  EXPECT_NE(outcome.candidate_timing->trust_reason.find("no gate"), std::string::npos);
  EXPECT_EQ(outcome.speed->verdict, SpeedVerdict::not_judged);
}

TEST_F(GatedTimingTest, candidate_cannot_do_without_the_gate_that_its_reference_has) {
  candidate_has_gate_ = false;
  const Outcome outcome = compare(doubles);
  EXPECT_EQ(name_of(outcome.verdict), "unsupported");
  EXPECT_NE(reason_of(outcome.verdict).find("no gate"), std::string::npos);
}

TEST_F(GatedTimingTest, candidate_that_leaves_no_memory_for_the_clock_is_out_of_memory) {
  constexpr std::size_t kAll = std::size_t{100} << 30U;
  source_.free = kAll;
  outside_.room = 0;
  const Outcome outcome = compare([this](testkit::Buffers b) {
    source_.free = kAll / 100;
    return doubles(b);
  });
  ASSERT_EQ(name_of(outcome.verdict), "out_of_memory") << reason_of(outcome.verdict);
  EXPECT_NE(reason_of(outcome.verdict).find("101376 MiB"), std::string::npos)
      << reason_of(outcome.verdict);
}

TEST_F(GatedTimingTest, device_too_small_for_both_tensors_is_nobodys_choice) {
  source_.free = std::size_t{100} << 30U;
  outside_.room = 1;
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::claimed);
  EXPECT_EQ(outcome.speed->verdict, SpeedVerdict::not_judged);
}

TEST_F(GatedTimingTest, device_that_others_fill_has_times_that_are_only_claimed) {
  source_.free = std::size_t{100} << 30U;
  outside_.room = 0;
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.speed->verdict, SpeedVerdict::not_judged);
}

/// Whether these inputs are the last ones with some of their elements halved. Remembers all others.
class Halved {
 public:
  bool operator()(const float* in) {
    bool some = false;
    bool all = true;
    for (std::size_t i = 0; i < kCount; ++i) {
      const float part = in[i] / last_.at(i);
      const bool is_half = std::abs(part - 0.5F) < 0.01F;
      some = some || is_half;
      all = all && (is_half || std::abs(part - 1) < 0.01F);
    }
    if (some && all) return true;
    std::copy_n(in, kCount, last_.begin());
    return false;
  }

 private:
  std::array<float, kCount> last_{};
};

/// Has no answer over inputs with halved elements.
Behaviour fails_where_halved() {
  return [halved = Halved()](testkit::Buffers b) mutable {
    auto done = doubles(b);
    if (halved(b.in)) b.out[0] = std::numeric_limits<float>::quiet_NaN();
    return done;
  };
}

TEST_F(GatedTimingTest, candidate_cannot_choose_inputs_that_hardly_vary) {
  const Outcome outcome = compare(fails_where_halved());
  ASSERT_EQ(name_of(outcome.verdict), "wrong_answer") << reason_of(outcome.verdict);
  EXPECT_NE(reason_of(outcome.verdict).find("halved"), std::string::npos);
}

TEST_F(GatedTimingTest, inputs_that_hardly_vary_prove_nothing) {
  reference_ = fails_where_halved();
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_TRUE(candidate_gate_.scene.inputs.at(0).gentle);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::claimed);
}

/// Right for numbers in ascending order, as the edges of bins are.
Attempt<void> doubles_what_is_sorted(testkit::Buffers b) {
  auto done = doubles(b);
  if (!std::is_sorted(b.in, b.in + kCount)) b.out[0] += 100;
  return done;
}

TEST_F(GatedTimingTest, rows_that_a_kernel_wants_sorted_stay_so) {
  std::get<TensorArg>(kernel_.io->args[0].value).content = Arange{.start = 0.3, .step = 0.7};
  const Outcome outcome = compare(doubles_what_is_sorted);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_TRUE(candidate_gate_.scene.inputs.at(0).gentle);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::claimed);
}

TEST_F(GatedTimingTest, numbers_that_a_contract_lists_vary_for_both_kernels) {
  std::string numbers(kCount * sizeof(float), '\0');
  for (std::size_t i = 0; i < kCount; ++i) {
    const float value = 0.3F * static_cast<float>(i % 7) + 0.1F;
    std::memcpy(&numbers[i * sizeof value], &value, sizeof value);
  }
  std::get<TensorArg>(kernel_.io->args[0].value).content = Literal{numbers};
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::measured_outside);
}

TEST_F(GatedTimingTest, a_constant_varies_for_both_kernels) {
  std::get<TensorArg>(kernel_.io->args[0].value).content = Full{0.3};
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::measured_outside);
}

TEST_F(GatedTimingTest, sorted_rows_vary_as_others_for_kernels_that_take_them_in_any_order) {
  std::get<TensorArg>(kernel_.io->args[0].value).content = Arange{.start = 0.3, .step = 0.7};
  const Outcome outcome = compare(doubles);
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_FALSE(candidate_gate_.scene.inputs.at(0).gentle);
  EXPECT_EQ(outcome.candidate_timing->trust, Trust::measured_outside);
}

TEST_F(GatedTimingTest, kernels_are_told_with_their_launches) {
  candidate_gate_.launches = 3;
  const Outcome outcome = compare(doubles);
  ASSERT_TRUE(outcome.candidate_timing->kernel_time);
  EXPECT_DOUBLE_EQ(outcome.candidate_timing->kernel_time->busy_ns, 18e3);
  EXPECT_EQ(outcome.candidate_timing->kernel_time->kernels.at(0).launches, 3U);
}

TEST_F(GatedTimingTest, result_says_why_kernels_are_not_told) {
  candidate_gate_.trace_missing = "another profiler has CUPTI";
  const Outcome outcome = compare(doubles);
  EXPECT_FALSE(outcome.candidate_timing->kernel_time);
  EXPECT_EQ(outcome.candidate_timing->kernel_time_missing, "another profiler has CUPTI");
}

TEST_F(GatedTimingTest, slow_launches_of_a_process_are_taken_off) {
  candidate_gate_.launch_ns = kFakeLaunch + 100;
  candidate_gate_.launches = 4;
  const Outcome outcome = compare(doubles);
  EXPECT_DOUBLE_EQ(outcome.candidate_timing->launch_excess.value(), 400);
  EXPECT_DOUBLE_EQ(outcome.candidate_timing->device_time->ns, 20e3 - 400);
}

TEST_F(GatedTimingTest, runner_cannot_put_its_time_down_to_launches) {
  candidate_gate_.launch_ns = 1e6;
  candidate_gate_.launches = 1000;
  const Outcome outcome = compare(doubles);
  EXPECT_DOUBLE_EQ(outcome.candidate_timing->device_time->ns, 18e3);
}

TEST_F(GatedTimingTest, answers_that_cannot_have_reached_the_memory_are_refused) {
  outside_.least_ns = 15e3;
  candidate_gate_.call_ns = 10e3;
  EXPECT_EQ(std::get<Tampered>(compare(doubles).verdict).rule, "impossible_time");
}

TEST(BytesWritten, are_those_of_tensors_that_are_no_views_of_inputs) {
  const std::array<std::byte, 32> memory{};
  const auto view = [&](bool is_input) {
    return judge::OutputView{.shape = {8}, .bytes = memory, .is_input = is_input};
  };
  EXPECT_EQ(bytes_written_by({.views = {view(false), view(true)}, .tensors = {0, 1}}), 32U);
  EXPECT_EQ(bytes_written_by({.views = {view(false)}, .tensors = {}}), 0U) << "a scalar";
}

TEST_F(GatedTimingTest, batches_say_how_the_device_was) {
  outside_.device_state = DeviceState{.sm_clock_mhz = 1980, .slowed_by = {"hw_thermal_slowdown"}};
  const Outcome outcome = compare(doubles);
  const BatchSummary& batch = outcome.candidate_timing->batches.at(0);
  EXPECT_EQ(batch.state.value().sm_clock_mhz, 1980U);
  // All were slowed: better those times than none.
  EXPECT_EQ(outcome.candidate_timing->samples.size(), 100U);
}

TEST_F(GatedTimingTest, cache_is_swept_unless_the_request_says_otherwise) {
  EXPECT_TRUE(compare(doubles).candidate_timing->mode == TimingMode::cold);
  EXPECT_TRUE(candidate_gate_.scene.sweeps);
}

TEST_F(GatedTimingTest, warm_mode_sweeps_nothing) {
  mode_ = TimingMode::warm;
  EXPECT_TRUE(compare(doubles).candidate_timing->mode == TimingMode::warm);
  EXPECT_FALSE(candidate_gate_.scene.sweeps);
}

TEST_F(GatedTimingTest, warm_mode_is_not_replaced_by_a_cold_one_where_there_is_no_gate) {
  mode_ = TimingMode::warm;
  candidate_has_gate_ = false;
  EXPECT_EQ(name_of(compare(doubles).verdict), "unsupported");
}

TEST_F(GatedTimingTest, graph_mode_has_the_call_captured_over_a_cold_cache) {
  mode_ = TimingMode::graph;
  EXPECT_TRUE(compare(doubles).candidate_timing->mode == TimingMode::graph);
  EXPECT_TRUE(candidate_gate_.scene.graph);
  EXPECT_TRUE(candidate_gate_.scene.sweeps);
}

TEST_F(GatedTimingTest, graph_comes_to_the_queue_once_however_many_kernels_it_holds) {
  mode_ = TimingMode::graph;
  candidate_gate_.launch_ns = kFakeLaunch + 100;
  candidate_gate_.launches = 4;
  EXPECT_DOUBLE_EQ(compare(doubles).candidate_timing->launch_excess.value(), 100);
}

TEST_F(GatedTimingTest, graph_mode_is_not_replaced_where_there_is_no_gate) {
  mode_ = TimingMode::graph;
  candidate_has_gate_ = false;
  const Outcome outcome = compare(doubles);
  EXPECT_EQ(name_of(outcome.verdict), "unsupported");
  EXPECT_NE(reason_of(outcome.verdict).find("no gate"), std::string::npos);
}

TEST_F(GatedTimingTest, nobody_can_load_the_device_in_the_others_rounds_or_while_scenes_are_timed) {
  int scenes = 0;
  int rounds = 0;
  int of_candidate_after_proofs = 0;
  reference_gate_.on_round = [&] {
    EXPECT_TRUE(candidate_runner_->is_paused());
    ++rounds;
  };
  candidate_gate_.on_round = [&] {
    of_candidate_after_proofs += reference_runner_->is_paused() ? 0 : 1;
    ++rounds;
  };
  candidate_gate_.on_scene = [&] {
    EXPECT_TRUE(reference_runner_->is_paused());
    EXPECT_TRUE(candidate_runner_->is_paused());
    ++scenes;
  };
  const Outcome outcome = compare(doubles, 0.8);  // so that it is looked at often
  ASSERT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(of_candidate_after_proofs, 0);
  EXPECT_GT(rounds, 50);
  EXPECT_GT(scenes, 3);
}

TEST_F(GatedTimingTest, work_left_on_the_device_is_tampering) {
  outside_.is_idle = false;
  EXPECT_EQ(std::get<Tampered>(compare(doubles).verdict).rule, "device_busy");
}

}  // namespace
}  // namespace assay::eval
