#include "eval/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "model/dtype.hpp"
#include "model/finding.hpp"
#include "model/io_contract.hpp"
#include "model/job.hpp"
#include "model/kernel.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

using std::chrono::seconds;
using namespace testkit;

/// The same with an output of another type of four bytes.
Kernel kernel_of(DType out) {
  Kernel result = kernel();
  std::get<TensorArg>(result.io->args[1].value).dtype = out;
  return result;
}

class EvaluationTest : public testing::Test {
 protected:
  Result<Outcome> run(const Request& request) {
    const EvaluationInput input{
        .request = request,
        .reference = request.reference ? std::optional(BuiltKernel{}) : std::nullopt,
        .candidate = {.spills = RegisterSpills{.store_bytes = 8}},
        .secret = 42,
        .budget = seconds(100)};
    auto end = evaluate(input, source_, clock_,
                        {.step = [this](JobStep step) { steps_.push_back(step); }}, {});
    if (!end) return std::unexpected(std::move(end).error());
    return std::get<Outcome>(*std::move(end));
  }
  Verdict compare(Behaviour candidate, double claimed_fraction = 1.0) {
    source_.add(doubles);
    source_.add(std::move(candidate), claimed_fraction);
    return run({.reference = kernel(), .candidate = kernel(), .num_trials = 20}).value().verdict;
  }

  ManualClock clock_;
  FakeSource source_{clock_};
  std::vector<JobStep> steps_;
};

TEST_F(EvaluationTest, right_candidate_is_accepted_and_timed_against_the_reference) {
  source_.add(doubles);
  source_.add(doubles, 0.9);
  const Outcome outcome =
      run({.reference = kernel(), .candidate = kernel(), .num_trials = 23}).value();
  EXPECT_EQ(name_of(outcome.verdict), "accepted");
  EXPECT_EQ(outcome.candidate_timing->samples.size(), 23U);
  EXPECT_EQ(outcome.reference_timing->samples.size(), 23U);
  EXPECT_NEAR(outcome.speed->speedup, 1 / 0.9, 1e-9);
  EXPECT_EQ(outcome.check->rounds_passed, 3);
  EXPECT_EQ(steps_, (std::vector<JobStep>{JobStep::checked}));
}

TEST_F(EvaluationTest, wrong_element_is_reported_with_both_values) {
  const Verdict verdict = compare([](Buffers b) {
    (void)doubles(b);
    b.out[7] = 1000;
    return Attempt<void>{};
  });
  const auto& wrong = std::get<WrongAnswer>(verdict);
  EXPECT_EQ(wrong.mismatches, 1U);
  EXPECT_EQ(wrong.compared, kCount);
  EXPECT_EQ(wrong.first->index, (std::vector<std::int64_t>{7}));
  EXPECT_EQ(wrong.first->got, "1000");
  EXPECT_TRUE(steps_.empty());
}

/// Whether the sixth decimal is odd: an edge lies near every input.
Attempt<void> tells_parity(const float* in, float* out, float factor) {
  for (std::size_t i = 0; i < kCount; ++i) {
    out[i] = static_cast<float>(std::llround(double{in[i] * factor} * 1e6) & 1);
  }
  return {};
}

TEST_F(EvaluationTest, elements_that_jump_where_the_references_do_are_right) {
  source_.add([](Buffers b) { return tells_parity(b.in, b.out, 1); });
  source_.add([](Buffers b) {
    auto done = tells_parity(b.in, b.out, 1);
    std::vector<float> other(kCount);
    (void)tells_parity(b.in, other.data(), 1 + 1e-7F);  // as if it had added up in another order
    std::copy_n(other.begin(), 8, b.out);
    return done;
  });
  const Verdict verdict =
      run({.reference = kernel(), .candidate = kernel(), .num_trials = 20}).value().verdict;
  EXPECT_EQ(name_of(verdict), "accepted") << reason_of(verdict);
}

TEST_F(EvaluationTest, elements_that_jump_far_from_every_edge_are_wrong) {
  const auto tells_sign = [](Buffers b) {
    for (std::size_t i = 0; i < kCount; ++i) b.out[i] = b.in[i] > 0 ? 1 : 0;
    return Attempt<void>{};
  };
  source_.add(tells_sign);
  source_.add([&](Buffers b) {
    auto done = tells_sign(b);
    const auto* largest = std::max_element(
        b.in, b.in + kCount, [](float x, float y) { return std::abs(x) < std::abs(y); });
    float& one = b.out[largest - b.in];
    one = 1 - one;
    return done;
  });
  const Verdict verdict =
      run({.reference = kernel(), .candidate = kernel(), .num_trials = 20}).value().verdict;
  EXPECT_EQ(name_of(verdict), "wrong_answer") << reason_of(verdict);
}

TEST_F(EvaluationTest, output_left_unwritten_is_wrong) {
  EXPECT_EQ(name_of(compare([](Buffers) { return Attempt<void>{}; })), "wrong_answer");
}

TEST_F(EvaluationTest, inputs_differ_from_round_to_round) {
  std::vector<float> seen;
  EXPECT_EQ(name_of(compare([&](Buffers b) {
              if (!b.timing) seen.push_back(b.in[0]);
              return doubles(b);
            })),
            "accepted");
  ASSERT_EQ(seen.size(), 7U);  // three rounds, the first twice, the second with four changes
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
  EXPECT_NE(seen[5], seen[6]);
}

TEST_F(EvaluationTest, answer_that_changes_for_the_same_inputs_is_non_deterministic) {
  int runs = 0;
  EXPECT_EQ(name_of(compare([&](Buffers b) {
              (void)doubles(b);
              if (++runs == 2) b.out[0] += 1;
              return Attempt<void>{};
            })),
            "non_deterministic");
}

TEST_F(EvaluationTest, changing_an_input_is_tampering) {
  const Verdict verdict = compare([](Buffers b) {
    (void)doubles(b);
    b.in[3] = 0;
    return Attempt<void>{};
  });
  EXPECT_EQ(std::get<Tampered>(verdict).rule, "input_modified");
}

TEST_F(EvaluationTest, writing_past_an_array_is_a_crash_that_names_it) {
  const Verdict verdict = compare([](Buffers b) {
    (void)doubles(b);
    b.out[kCount] = 0;
    return Attempt<void>{};
  });
  EXPECT_NE(std::get<Crashed>(verdict).reason.find("'out'"), std::string::npos);
}

TEST_F(EvaluationTest, doing_the_work_only_while_checked_is_tampering) {
  const Verdict verdict =
      compare([](Buffers b) { return b.timing ? Attempt<void>{} : doubles(b); });
  EXPECT_EQ(std::get<Tampered>(verdict).rule, "timed_runs_differ");
}

TEST_F(EvaluationTest, claiming_less_time_than_passed_is_tampering) {
  EXPECT_EQ(std::get<Tampered>(compare(doubles, 0.001)).rule, "clock");
}

TEST_F(EvaluationTest, crash_of_the_candidate_keeps_its_findings) {
  source_.add(doubles);
  source_.add([](Buffers) -> Attempt<void> {
    return std::unexpected(Fate{Crashed{.reason = "boom"}, {Finding{.kind = "trap"}}});
  });
  const Outcome outcome = run({.reference = kernel(), .candidate = kernel()}).value();
  EXPECT_EQ(std::get<Crashed>(outcome.verdict).reason, "boom");
  ASSERT_EQ(outcome.findings.size(), 1U);
}

TEST_F(EvaluationTest, what_both_kernels_take_of_a_gpu_is_told_whatever_the_verdict) {
  source_.add(doubles, 1, KernelResources{.registers_per_thread = 24});
  source_.add([](Buffers) { return Attempt<void>{}; }, 1,
              KernelResources{.registers_per_thread = 32});
  const Outcome outcome = run({.reference = kernel(), .candidate = kernel()}).value();
  EXPECT_EQ(name_of(outcome.verdict), "wrong_answer");
  EXPECT_EQ(outcome.reference_resources.value().registers_per_thread, 24);
  EXPECT_FALSE(outcome.reference_resources->spills);
  EXPECT_EQ(outcome.candidate_resources.value().registers_per_thread, 32);
  EXPECT_EQ(outcome.candidate_resources->spills.value().store_bytes, 8);
}

TEST_F(EvaluationTest, process_killed_once_is_evaluated_again) {
  const auto dies = [](Buffers) -> Attempt<void> {
    return std::unexpected(Fate{Crashed{.reason = "killed", .signal = SIGKILL}, {}});
  };
  source_.add(doubles);
  source_.add(dies);
  source_.add(doubles);
  source_.add(doubles);
  EXPECT_EQ(name_of(run({.reference = kernel(), .candidate = kernel()}).value().verdict),
            "accepted");
  for (int i = 0; i < 2; ++i) {
    source_.add(doubles);
    source_.add(dies);
  }
  EXPECT_EQ(name_of(run({.reference = kernel(), .candidate = kernel()}).value().verdict),
            "crashed");
}

TEST_F(EvaluationTest, crash_of_the_reference_is_not_the_candidates_fault) {
  source_.add([](Buffers) -> Attempt<void> {
    return std::unexpected(Fate{Crashed{.reason = "boom"}, {}});
  });
  source_.add(doubles);
  const Outcome outcome = run({.reference = kernel(), .candidate = kernel()}).value();
  EXPECT_EQ(std::get<ReferenceFailed>(outcome.verdict).verdict, "crashed");
}

TEST_F(EvaluationTest, running_out_of_time_is_a_verdict_with_its_phase) {
  const auto slow = [](bool when_timing) {
    return [when_timing](Buffers b) -> Attempt<void> {
      if (b.timing != when_timing) return doubles(b);
      return std::unexpected(Error(ErrorCode::deadline_exceeded, "late"));
    };
  };
  EXPECT_EQ(std::get<TimedOut>(compare(slow(false))).phase, "checking");
  EXPECT_EQ(std::get<TimedOut>(compare(slow(true))).phase, "timing");
}

TEST_F(EvaluationTest, failure_of_ours_is_an_error_and_no_verdict) {
  source_.add(doubles);
  source_.add([](Buffers) -> Attempt<void> {
    return std::unexpected(Error(ErrorCode::cancelled, "stopped"));
  });
  EXPECT_EQ(run({.reference = kernel(), .candidate = kernel()}).error().code(),
            ErrorCode::cancelled);
  EXPECT_EQ(run({.candidate = kernel()}).error().code(), ErrorCode::unavailable);
}

TEST_F(EvaluationTest, lone_candidate_is_run_and_timed) {
  source_.add([](Buffers b) {
    (void)doubles(b);
    b.out[1] = std::numeric_limits<float>::quiet_NaN();  // its own answer, so NaN agrees
    return Attempt<void>{};
  });
  const Outcome outcome = run({.candidate = kernel()}).value();
  EXPECT_EQ(name_of(outcome.verdict), "accepted");
  EXPECT_EQ(outcome.candidate_timing->samples.size(), 100U);
  EXPECT_FALSE(outcome.reference_timing);
  EXPECT_FALSE(outcome.speed);
  EXPECT_FALSE(outcome.candidate_resources);
}

TEST_F(EvaluationTest, lone_candidate_that_leaves_elements_unwritten_is_wrong_and_told_so) {
  for (const DType dtype : {DType::float32, DType::int32}) {
    source_.add([](Buffers b) {
      b.out[0] = b.in[0];
      return Attempt<void>{};
    });
    const Verdict verdict = run({.candidate = kernel_of(dtype)}).value().verdict;
    ASSERT_EQ(name_of(verdict), "wrong_answer") << to_string(dtype);
    EXPECT_EQ(std::get<WrongAnswer>(verdict).mismatches, kCount - 1);
    EXPECT_NE(reason_of(verdict).find("63 of them still hold what was there before the run"),
              std::string::npos)
        << reason_of(verdict);
  }
}

TEST_F(EvaluationTest, what_neither_kernel_wrote_is_wrong_whatever_its_type) {
  const auto idle = [](Buffers) { return Attempt<void>{}; };
  for (const DType dtype : {DType::int32, DType::uint32, DType::float32}) {
    source_.add(idle);
    source_.add(idle);
    const Verdict verdict =
        run({.reference = kernel_of(dtype), .candidate = kernel_of(dtype)}).value().verdict;
    ASSERT_EQ(name_of(verdict), "wrong_answer") << to_string(dtype);
    const std::string reason = reason_of(verdict);
    EXPECT_NE(reason.find("64 of the expected elements seem not to have been written"),
              std::string::npos)
        << reason;
    if (dtype == DType::float32) {
      EXPECT_EQ(reason.find("Max difference"), std::string::npos) << reason;
    }
  }
}

TEST_F(EvaluationTest, unwritten_output_is_wrong_even_where_the_answer_is_what_was_there) {
  source_.add([](Buffers b) {
    std::memset(b.out, 0xFF, kCount * sizeof(float));  // -1
    return Attempt<void>{};
  });
  source_.add([](Buffers) { return Attempt<void>{}; });
  const Kernel integers = kernel_of(DType::int32);
  EXPECT_EQ(name_of(run({.reference = integers, .candidate = integers}).value().verdict),
            "wrong_answer");
}

TEST_F(EvaluationTest, tensor_that_may_be_read_holds_the_same_in_every_run) {
  for (const Role role : {Role::input, Role::inout}) {  // where none is marked, all are outputs
    const auto idle = [](Buffers) { return Attempt<void>{}; };
    source_.add(idle);
    source_.add(idle);
    Kernel unmarked = kernel_of(DType::int32);
    for (Argument& argument : unmarked.io->args) {
      auto& tensor = std::get<TensorArg>(argument.value);
      tensor.role = role;
      tensor.content = Unspecified{};
      tensor.dtype = DType::int32;
    }
    EXPECT_EQ(name_of(run({.reference = unmarked, .candidate = unmarked}).value().verdict),
              "accepted");
  }
}

TEST_F(EvaluationTest, clusters_are_unsupported_where_there_is_no_gpu) {
  Kernel clustered = kernel();
  clustered.io->launch.cluster = Dim3{2, 1, 1};
  source_.add(doubles);
  const Verdict verdict = run({.candidate = clustered}).value().verdict;
  ASSERT_EQ(name_of(verdict), "unsupported");
  EXPECT_NE(reason_of(verdict).find("launch.cluster"), std::string::npos);
  source_.add(doubles);
  const Verdict with_reference =
      run({.reference = clustered, .candidate = kernel()}).value().verdict;
  EXPECT_EQ(std::get<ReferenceFailed>(with_reference).verdict, "unsupported");
  clustered.io->launch.cluster = Dim3{1, 1, 1};
  source_.add(doubles);
  EXPECT_EQ(name_of(run({.candidate = clustered}).value().verdict), "accepted");
}

TEST_F(EvaluationTest, answer_without_elements_is_wrong_with_and_without_a_reference) {
  const auto idle = [](Buffers) { return Attempt<void>{}; };
  Kernel empty = kernel();
  std::get<TensorArg>(empty.io->args[1].value).shape = {0};
  for (const Kernel& candidate : {mute_kernel(), empty}) {
    for (const auto& reference : {std::optional<Kernel>(), std::optional(candidate)}) {
      if (reference) source_.add(idle);
      source_.add(idle);
      const Verdict verdict = run({.reference = reference, .candidate = candidate}).value().verdict;
      ASSERT_EQ(name_of(verdict), "wrong_answer");
      EXPECT_EQ(reason_of(verdict), "There is nothing to compare: the outputs hold no element");
    }
  }
}

TEST_F(EvaluationTest, output_that_starts_filled_is_restored_before_every_run) {
  const auto accumulates = [](Buffers b) {
    for (std::size_t i = 0; i < kCount; ++i) b.out[i] += b.in[i];
    return Attempt<void>{};
  };
  source_.add(accumulates);
  source_.add(accumulates);
  const Kernel inout = kernel(Role::inout, Full{1.0});
  EXPECT_EQ(name_of(run({.reference = inout, .candidate = inout}).value().verdict), "accepted");
}

}  // namespace
}  // namespace assay::eval
