#include "trace/analysis/passes.hpp"

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace
}  // namespace assay::trace
