#include "trace/analysis/iterations.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {
namespace {

Trace demo() {
  NsysFixture fixture;
  add_demo(fixture);
  return read_nsys_sqlite(fixture.image()).value();
}

TEST(Iterations, are_found_by_what_repeats) {
  const Trace trace = demo();
  const Iterations found = find_iterations(trace, attribute(trace)).value();
  EXPECT_EQ(found.name, "step #");
  ASSERT_EQ(found.list.size(), 3U);
  EXPECT_EQ(found.list[0].kernels, found.list[2].kernels);
  EXPECT_GT(found.list[0].gpu_busy, 0);
  EXPECT_LE(found.list[0].gpu_busy, found.list[0].gpu_span);
}

TEST(Iterations, are_those_asked_for) {
  const Trace trace = demo();
  const Iterations found = find_iterations(trace, attribute(trace), "forward").value();
  EXPECT_EQ(found.list.size(), 3U);
  EXPECT_EQ(found.duration.count, 3U);
}

TEST(Iterations, of_a_program_without_a_loop_are_not_found) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 10, .name = "once"});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  EXPECT_EQ(find_iterations(trace, attribute(trace)).error().code(), ErrorCode::not_found);
  EXPECT_EQ(find_iterations(trace, attribute(trace), "none").error().code(), ErrorCode::not_found);
}

TEST(Iterations, ranges_of_a_framework_are_no_loop) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 5; ++i)
    fixture.range({.start = i * 10, .end = i * 10 + 5, .name = "aten::mm"});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  EXPECT_FALSE(find_iterations(trace, attribute(trace)).has_value());
}

/// A range that launches kernels, one each 10 of its time.
void busy_range(NsysFixture& fixture, std::int64_t start, std::int64_t end, std::string_view name) {
  fixture.range({.start = start, .end = end, .name = std::string(name)});
  for (std::int64_t at = start + 1; at + 10 <= end; at += 10) {
    fixture.launch(
        {.call_start = at, .call_end = at + 1, .start = at + 2, .end = at + 8, .name = "k"});
  }
}

std::string loop_of(const NsysFixture& fixture) {
  const Trace trace = read_fixture(fixture);
  const auto found = find_iterations(trace, attribute(trace));
  return found ? found->name : found.error().message();
}

TEST(Iterations, are_no_steps_of_an_optimizer_beside_the_passes) {
  for (const bool inside : {false, true}) {
    NsysFixture fixture;
    for (std::int64_t at = 0; at < 4000; at += 1000) {
      busy_range(fixture, at, at + 300, "forward");
      busy_range(fixture, at + 300, at + 600, "backward");
      busy_range(fixture, at + 600, at + 900, inside ? "optimizer" : "step");
      if (inside) fixture.range({.start = at, .end = at + 900, .name = "step"});
    }
    EXPECT_EQ(loop_of(fixture) == "step", inside) << loop_of(fixture);
  }
}

TEST(Iterations, may_launch_one_kernel_each_if_they_say_that_they_are_steps) {
  for (const char* name : {"step", "launch"}) {
    NsysFixture fixture;
    for (std::int64_t at = 0; at < 500; at += 100) busy_range(fixture, at, at + 12, name);
    EXPECT_EQ(loop_of(fixture) == "step", std::string_view(name) == "step") << loop_of(fixture);
  }
}

TEST(Iterations, are_no_ranges_of_a_thread_that_loads_data) {
  for (const char* name : {"load", "step"}) {
    NsysFixture fixture;
    for (std::int64_t at = 0; at < 500; at += 100) {
      fixture.range({.start = at, .end = at + 90, .name = name, .tid = 107});
      for (const std::int64_t call : {at + 10, at + 40}) {
        fixture.launch({.call_start = call,
                        .call_end = call + 1,
                        .start = call + 5,
                        .end = call + 20,
                        .name = "k"});
      }
    }
    EXPECT_EQ(loop_of(fixture) == "step", std::string_view(name) == "step") << loop_of(fixture);
  }
}

TEST(Iterations, a_batch_is_one_and_what_it_holds_or_is_in_is_not) {
  NsysFixture fixture;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    fixture.range({.start = epoch * 1000, .end = epoch * 1000 + 900, .name = "epoch"});
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t at = epoch * 1000 + i * 200;
      fixture.range(
          {.start = at, .end = at + 150, .name = "batch=" + std::to_string(i) + ",size=32"});
      busy_range(fixture, at + 5, at + 100, "inference");
    }
  }
  EXPECT_EQ(loop_of(fixture), "batch=#,size=#");
}

TEST(Iterations, a_stage_that_runs_more_seldom_than_another_is_none) {
  NsysFixture fixture;
  for (std::int64_t request = 0; request < 3; ++request) {
    const std::int64_t at = request * 2000;
    busy_range(fixture, at, at + 800, "prefill");
    for (std::int64_t token = 0; token < 10; ++token) {
      busy_range(fixture, at + 900 + token * 60, at + 940 + token * 60, "decode");
    }
  }
  EXPECT_NE(loop_of(fixture).find("'prefill' (3 times) is a stage beside 'decode'"),
            std::string::npos)
      << loop_of(fixture);
}

TEST(Iterations, a_range_with_two_thirds_of_the_work_is_none_if_its_name_does_not_say_so) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 5; ++i) {
    busy_range(fixture, i * 1000, i * 1000 + 100, "upload");
    fixture.range({.start = i * 1000 + 200, .end = i * 1000 + 201, .name = "mark"});
    for (std::int64_t at = i * 1000 + 300; at < i * 1000 + 400; at += 10) {
      fixture.launch(
          {.call_start = at, .call_end = at + 1, .start = at + 2, .end = at + 8, .name = "k"});
    }
  }
  EXPECT_NE(loop_of(fixture).find("'upload' (5 times) holds"), std::string::npos)
      << loop_of(fixture);
}

TEST(Iterations, of_training_come_before_those_of_evaluation) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 4; ++i) busy_range(fixture, i * 1000, i * 1000 + 200, "train_step");
  for (std::int64_t i = 4; i < 24; ++i) busy_range(fixture, i * 1000, i * 1000 + 100, "eval_step");
  EXPECT_EQ(loop_of(fixture), "train_step");
}

TEST(Iterations, of_evaluation_alone_are_found) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 9; ++i) busy_range(fixture, i * 1000, i * 1000 + 100, "eval_step");
  EXPECT_EQ(loop_of(fixture), "eval_step");
}

TEST(Iterations, are_no_requests_that_a_server_works_on_at_once) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 9; ++i) {
    fixture.range({.start = i * 100, .end = i * 100 + 290, .name = "request", .type = 60});
    busy_range(fixture, i * 100, i * 100 + 60,
               "run " + std::string(static_cast<std::size_t>(i), 'x'));
  }
  EXPECT_NE(loop_of(fixture).find("'request' (9 times) has several runs under way at once"),
            std::string::npos)
      << loop_of(fixture);
}

TEST(Iterations, are_no_stages_between_which_another_runs_several_times) {
  NsysFixture fixture;
  for (std::int64_t request = 0; request < 6; ++request) {
    const std::int64_t at = request * 4000;
    busy_range(fixture, at, at + 2000, "prefill");
    for (std::int64_t token = 0; token < 5; ++token) {
      busy_range(fixture, at + 2100 + token * 100, at + 2150 + token * 100, "decode");
    }
  }
  EXPECT_NE(loop_of(fixture).find("'prefill' (6 times) is a stage beside 'decode'"),
            std::string::npos)
      << loop_of(fixture);
}

}  // namespace
}  // namespace assay::trace
