#include "trace/analysis/passes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"

namespace assay::trace {
namespace {

constexpr std::uint64_t kMain = 100;
constexpr std::uint64_t kAutograd = 101;

void kernel_at(NsysFixture& fixture, std::int64_t time, std::uint64_t tid) {
  fixture.launch({.call_start = time,
                  .call_end = time + 2,
                  .start = time + 3,
                  .end = time + 8,
                  .name = "k",
                  .tid = tid});
}

/// Three steps of training with activation checkpointing: the forward pass runs again inside the
/// backward pass, which runs on `tid`.
Trace checkpointed(std::uint64_t tid) {
  NsysFixture fixture;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = step * 1000;
    fixture.range({.start = at, .end = at + 900, .name = "step"});
    fixture.range({.start = at + 10, .end = at + 100, .name = "forward"});
    kernel_at(fixture, at + 20, kMain);
    kernel_at(fixture, at + 60, kMain);
    fixture.range({.start = at + 200, .end = at + 800, .name = "backward"});
    fixture.range({.start = at + 210, .end = at + 300, .name = "forward", .tid = tid});
    kernel_at(fixture, at + 220, tid);
    kernel_at(fixture, at + 400, tid);
    kernel_at(fixture, at + 500, tid);
  }
  return read_fixture(fixture);
}

class Recomputed : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Recomputed, parts_of_the_forward_pass_are_not_forward_passes) {
  const Trace trace = checkpointed(GetParam());
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Passes passes = find_passes(analysis, PassKind::forward).value();
  EXPECT_EQ(passes.count(), 3U);
  EXPECT_TRUE(passes.warm_up.empty());
  EXPECT_EQ(passes.set_aside,
            "3 inside the backward pass compute parts of it again, and are left out.");
}

TEST_P(Recomputed, parts_of_the_forward_pass_belong_to_the_backward_pass) {
  const Trace trace = checkpointed(GetParam());
  const auto projected = project(trace, attribute(trace), RangeRule::both);
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    const std::string_view name = trace.strings.view(trace.ranges.name[row]);
    if (name == "backward") {
      EXPECT_EQ(projected[row].kernels, 3U);
    } else if (name == "step") {
      EXPECT_EQ(projected[row].kernels, 5U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OnThread, Recomputed, testing::Values(kMain, kAutograd));

TEST(FindPasses, ranges_of_a_thread_with_work_of_its_own_stay_its_own) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 500, .name = "backward"});
  fixture.range({.start = 100, .end = 200, .name = "forward", .tid = kAutograd});
  fixture.range({.start = 600, .end = 700, .name = "forward", .tid = kAutograd});
  kernel_at(fixture, 150, kAutograd);
  kernel_at(fixture, 650, kAutograd);
  const Trace trace = read_fixture(fixture);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  EXPECT_EQ(find_passes(analysis, PassKind::forward).value().count(), 2U);
  EXPECT_EQ(project(trace, attribute(trace), RangeRule::both)[0].kernels, 0U);
}

TEST(FindPasses, a_loader_that_works_beside_the_backward_pass_is_no_part_of_it) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 500, .name = "backward"});
  fixture.range({.start = 100, .end = 200, .name = "prefetch", .tid = kAutograd});
  kernel_at(fixture, 50, kMain);
  kernel_at(fixture, 150, kAutograd);
  const Trace trace = read_fixture(fixture);
  EXPECT_EQ(project(trace, attribute(trace), RangeRule::both)[0].kernels, 1U);
}

TEST(FindPasses, validation_now_and_then_makes_no_stage_of_a_pass) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 8; ++i) {
    fixture.range({.start = i * 100, .end = i * 100 + 40, .name = "resnet forward"});
    kernel_at(fixture, i * 100 + 10, kMain);
    if (i % 4 != 1) continue;
    fixture.range({.start = i * 100 + 50, .end = i * 100 + 90, .name = "validation"});
    kernel_at(fixture, i * 100 + 60, kMain);
    kernel_at(fixture, i * 100 + 70, kMain);
  }
  const Trace trace = read_fixture(fixture);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  EXPECT_EQ(find_passes(analysis, PassKind::forward).value().count(), 8U);
}

TEST(FindPasses, a_pass_whose_last_kernels_the_profile_lacks_is_cut_off) {
  NsysFixture fixture;
  for (std::int64_t pass = 0; pass < 4; ++pass) {
    fixture.range({.start = pass * 100, .end = pass * 100 + 90, .name = "forward"});
    kernel_at(fixture, pass * 100 + 10, kMain);
    if (pass < 3) kernel_at(fixture, pass * 100 + 40, kMain);
  }
  fixture.call({.start = 340, .end = 342, .correlation = 77});
  const Trace trace = read_fixture(fixture);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Passes passes = find_passes(analysis, PassKind::forward).value();
  EXPECT_EQ(passes.count(), 3U);
  EXPECT_EQ(passes.set_aside, "1 that the profile cuts off is left out.");
}

TEST(FindPasses, of_training_and_of_evaluation_are_not_taken_for_one_thing) {
  NsysFixture fixture;
  for (std::int64_t run = 0; run < 10; ++run) {
    const bool trains = run < 4;
    const std::int64_t at = run * 1000;
    fixture.range({.start = at,
                   .end = at + 900,
                   .name = (trains ? "train step " : "eval step ") + std::to_string(run)});
    fixture.range({.start = at + 10, .end = at + 800, .name = "forward"});
    for (std::int64_t i = 0; i < (trains ? 8 : 3); ++i) kernel_at(fixture, at + 20 + 50 * i, kMain);
  }
  const Trace trace = read_fixture(fixture);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const auto passes = find_passes(analysis, PassKind::forward);
  ASSERT_FALSE(passes.has_value());
  EXPECT_NE(passes.error().message().find(
                "inside 'eval step #' (6 times), inside 'train step #' (4 times)"),
            std::string::npos)
      << passes.error().message();
  EXPECT_EQ(find_passes(analysis, PassKind::forward, "train step * > forward").value().count(), 4U);
}

TEST(FindPasses, are_no_parts_of_a_model_because_an_epoch_holds_several) {
  NsysFixture fixture;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    fixture.range({.start = epoch * 1000, .end = epoch * 1000 + 900, .name = "epoch"});
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::int64_t at = epoch * 1000 + i * 300;
      fixture.range({.start = at + 10, .end = at + 100, .name = "resnet forward"});
      kernel_at(fixture, at + 20, kMain);
    }
  }
  const Trace trace = read_fixture(fixture);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Passes passes = find_passes(analysis, PassKind::forward).value();
  EXPECT_EQ(passes.count(), 6U);
  EXPECT_EQ(held_in_loop(analysis, passes), "");
}

TEST(FindPasses, know_an_optimizer_by_its_kind) {
  NsysFixture fixture;
  for (std::int64_t step = 0; step < 3; ++step) {
    fixture.range({.start = step * 100, .end = step * 100 + 20, .name = "AdamW.zero_grad"});
    fixture.range({.start = step * 100 + 30, .end = step * 100 + 60, .name = "AdamW.step"});
    kernel_at(fixture, step * 100 + 40, kMain);
  }
  const Trace trace = read_fixture(fixture);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Passes passes = find_passes(analysis, PassKind::optimizer).value();
  EXPECT_EQ(passes.name, "AdamW.step");
  EXPECT_EQ(passes.count(), 3U);
}

TEST(FindPasses, know_the_optimizers_step_by_its_place_after_the_backward_pass) {
  for (const bool around : {false, true}) {
    NsysFixture fixture;
    for (std::int64_t at = 0; at < 3000; at += 1000) {
      const std::int64_t step = around ? at : at + 600;
      fixture.range({.start = step, .end = at + 900, .name = "step"});
      fixture.range({.start = at + 10, .end = at + 300, .name = "forward"});
      fixture.range({.start = at + 300, .end = at + 600, .name = "backward"});
      kernel_at(fixture, at + 610, kMain);
    }
    const Trace trace = read_fixture(fixture);
    const OpClassifier classifier;
    Analysis analysis(trace, classifier);
    const auto passes = find_passes(analysis, PassKind::optimizer);
    EXPECT_EQ(passes.has_value(), !around) << "a step around the passes is all of it";
    if (passes) EXPECT_EQ(passes->count(), 3U);
  }
}

TEST(FindPasses, without_an_optimizer_say_what_to_add) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 20, .name = "forward"});
  const Trace trace = read_fixture(fixture);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const auto passes = find_passes(analysis, PassKind::optimizer);
  ASSERT_FALSE(passes.has_value());
  EXPECT_NE(passes.error().message().find("says optimizer"), std::string::npos);
}

/// Six iterations with a range of each name, one after another, each with a kernel of its own.
Trace in_turn(const std::vector<std::string>& names) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(names.size()); ++j) {
      const std::int64_t at = i * 10'000 + j * 100;
      fixture.range({.start = at, .end = at + 90, .name = names[static_cast<std::size_t>(j)]});
      kernel_at(fixture, at + 10, kMain);
    }
  }
  return read_fixture(fixture);
}

std::string why_none(const Trace& trace, PassKind kind) {
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const auto passes = find_passes(analysis, kind);
  return passes ? "found " + passes->name : passes.error().message();
}

TEST(FindPasses, of_names_that_say_as_much_none_is_chosen) {
  EXPECT_EQ(why_none(in_turn({"train forward", "eval forward"}), PassKind::forward),
            "Several ranges say that they are the forward pass: 'train forward' (6 times), 'eval "
            "forward' (6 times). Name the one that you mean.");
}

TEST(FindPasses, that_only_say_forward_come_before_those_that_say_more) {
  const Trace trace = in_turn({"forward", "eval forward"});
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Passes passes = find_passes(analysis, PassKind::forward).value();
  EXPECT_EQ(passes.name, "forward");
  EXPECT_EQ(passes.count(), 6U);
  EXPECT_EQ(passes.set_aside, "'eval forward' (6 times) says so too, and is left out.");
}

TEST(FindPasses, what_is_called_around_a_pass_is_none) {
  const Trace trace =
      in_turn({"Strategy.backward", "Callback.on_before_backward", "Callback.on_after_backward"});
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  EXPECT_EQ(find_passes(analysis, PassKind::backward).value().name, "Strategy.backward");
}

TEST(FindPasses, of_an_engine_are_no_stage_beside_its_reduction_of_gradients) {
  NsysFixture fixture;
  for (std::int64_t at = 0; at < 3000; at += 1000) {
    fixture.range({.start = at, .end = at + 100, .name = "DeepSpeedEngine.forward"});
    kernel_at(fixture, at + 10, kMain);
    fixture.range({.start = at + 200, .end = at + 500, .name = "DeepSpeedEngine.backward"});
    kernel_at(fixture, at + 210, kMain);
    fixture.range(
        {.start = at + 300, .end = at + 400, .name = "DeepSpeedEngine.allreduce_gradients"});
    kernel_at(fixture, at + 310, kMain);
  }
  const Trace trace = read_fixture(fixture);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  EXPECT_EQ(find_passes(analysis, PassKind::forward).value().name, "DeepSpeedEngine.forward");
}

TEST(FindPasses, are_the_same_pass_whatever_request_they_are_for) {
  const Trace trace = in_turn({"forward 3f2a1b9c", "forward 12345678", "forward 00aa11bb"});
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Passes passes = find_passes(analysis, PassKind::forward).value();
  EXPECT_EQ(passes.name, "forward #");
  EXPECT_EQ(passes.count(), 18U);
}

TEST(FindPasses, of_which_few_have_a_plain_number_are_not_those_few) {
  const std::string why =
      why_none(in_turn({"forward 1234", "forward 1f3a", "forward 00ab"}), PassKind::forward);
  EXPECT_NE(why.find("No range is known to be the forward pass"), std::string::npos) << why;
}

TEST(FindPasses, name_some_of_many_candidates) {
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'z'; ++c) names.push_back(std::string("forward of request ") + c + c);
  const std::string why = why_none(in_turn(names), PassKind::forward);
  EXPECT_NE(why.find("'forward of request aa' (6 times)"), std::string::npos) << why;
  EXPECT_NE(why.find("and 18 other names"), std::string::npos) << why;
}

TEST(FindPasses, of_two_optimizers_none_is_chosen) {
  EXPECT_EQ(why_none(in_turn({"optimizer_D step", "optimizer_G step"}), PassKind::optimizer),
            "Several ranges say optimizer: 'optimizer_D step' (6 times), 'optimizer_G step' (6 "
            "times). Name the one that you mean.");
}

TEST(FindPasses, what_an_optimizer_computes_backward_is_no_step) {
  const Trace trace = in_turn({"FP16_Optimizer.backward", "FP16_Optimizer.step"});
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  EXPECT_EQ(find_passes(analysis, PassKind::optimizer).value().name, "FP16_Optimizer.step");
}

TEST(FindPasses, a_step_with_a_closure_is_not_the_optimizers_own_time) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 4; ++i) {
    fixture.range({.start = i * 1000, .end = i * 1000 + 900, .name = "optimizer.step"});
    fixture.range({.start = i * 1000 + 10, .end = i * 1000 + 100, .name = "forward"});
    fixture.range({.start = i * 1000 + 200, .end = i * 1000 + 700, .name = "backward"});
    kernel_at(fixture, i * 1000 + 800, kMain);
  }
  const std::string why = why_none(read_fixture(fixture), PassKind::optimizer);
  EXPECT_NE(why.find("'optimizer.step' holds the backward pass too"), std::string::npos) << why;
}

TEST(FindPasses, autograd_inside_a_step_tells_a_closure) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 4; ++i) {
    fixture.range({.start = i * 1000, .end = i * 1000 + 900, .name = "Optimizer.step#LBFGS.step"});
    fixture.range({.start = i * 1000 + 200,
                   .end = i * 1000 + 300,
                   .name = "autograd::engine::evaluate_function: MulBackward0",
                   .tid = kAutograd});
  }
  const std::string why = why_none(read_fixture(fixture), PassKind::optimizer);
  EXPECT_NE(why.find("holds the backward pass too"), std::string::npos) << why;
}

}  // namespace
}  // namespace assay::trace
