// What questions answer about ranges of several kinds, each made for one trap.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/asked.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/events/events.hpp"
#include "trace/events/kineto.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

TEST(AskForward, leaves_warm_up_out_and_says_so) {
  const Trace trace = with_ranges({{.start = 0, .end = 2000, .name = "Warm-up"},
                                   {.start = 100, .end = 1100, .name = "Forward"},
                                   {.start = 3000, .end = 3300, .name = "Forward"},
                                   {.start = 4000, .end = 4300, .name = "Forward"}});
  const Finding answer = asked(trace, "forward-time");
  EXPECT_EQ(answer.kind, FindingKind::answer);
  EXPECT_EQ(answer.evidence.at(0).value, Cell(300.0));
  EXPECT_EQ(answer.evidence.at(1).value, Cell(2));
  EXPECT_NE(answer.message.find("1 of warm-up"), std::string::npos) << answer.message;
}

TEST(AskForward, leaves_out_a_first_pass_that_only_the_gpu_was_slow_with) {
  NsysFixture fixture;
  std::int64_t free = 0;  // when the GPU is
  for (std::int64_t pass = 0; pass < 5; ++pass) {
    const std::int64_t at = pass * 100;
    fixture.range({.start = at, .end = at + 20, .name = "forward"});
    const std::int64_t took = pass == 0 ? 900 : 300;
    fixture.launch({.call_start = at + 1,
                    .call_end = at + 2,
                    .start = std::max(at + 5, free),
                    .end = std::max(at + 5, free) + took,
                    .name = "k"});
    free = std::max(at + 5, free) + took;
  }
  const Finding answer = asked(read_fixture(fixture), "forward-time");
  EXPECT_NE(answer.message.find("spans 300 ns on average"), std::string::npos) << answer.message;
  EXPECT_NE(answer.message.find("left out as warm-up"), std::string::npos) << answer.message;
}

TEST(AskIterations, does_not_take_the_time_to_launch_for_that_to_compute) {
  NsysFixture fixture;
  for (std::int64_t step = 0; step < 4; ++step) {
    fixture.range({.start = step * 100, .end = step * 100 + 90, .name = "denoise step"});
    for (std::int64_t i = 0; i < 2; ++i) {
      const std::int64_t start = 1000 * step + 500 * i + 50;
      fixture.launch({.call_start = step * 100 + 10 * i + 1,
                      .call_end = step * 100 + 10 * i + 5,
                      .start = start,
                      .end = start + 500,
                      .name = "conv_kernel"});
    }
  }
  const Finding answer = asked(read_fixture(fixture), "iterations");
  EXPECT_NE(answer.message.find("spans 1.000 us at the median"), std::string::npos)
      << answer.message;
}

TEST(AskForward, leaves_out_a_pass_that_the_profile_cuts_off) {
  NsysFixture fixture;
  for (std::int64_t at = 0; at < 5000; at += 1000) {
    const auto end = at < 4000 ? std::optional(at + 800) : std::nullopt;
    fixture.range({.start = at, .end = end, .name = "step"});
    fixture.range(
        {.start = at + 10, .end = end ? std::optional(at + 400) : end, .name = "forward"});
    for (std::int64_t i = 0; i < 2; ++i) {
      fixture.launch({.call_start = at + 20 + 30 * i,
                      .call_end = at + 25 + 30 * i,
                      .start = at + 30 + 30 * i,
                      .end = at + 50 + 30 * i,
                      .name = "k"});
    }
  }
  const Trace trace = read_fixture(fixture);
  const Finding forward = asked(trace, "forward-time");
  EXPECT_EQ(forward.evidence.at(0).value, Cell(390.0)) << forward.message;
  EXPECT_NE(forward.message.find("1 that the profile cuts off is left out"), std::string::npos);
  const Finding iterations = asked(trace, "iterations");
  EXPECT_NE(iterations.message.find("ran 4 times"), std::string::npos) << iterations.message;
  EXPECT_NE(iterations.message.find("cuts off"), std::string::npos) << iterations.message;
}

TEST(AskForward, is_a_call_of_the_module_that_holds_the_others) {
  std::string events;
  const auto add = [&](std::string_view category, std::string_view name, int start, int length) {
    events +=
        fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":1,"ts":{},"dur":{}}})",
                    events.empty() ? "" : ",", category, name, start, length);
  };
  for (int step = 0; step < 3; ++step) {
    add("python_function", "nn.Module: GPT_0", step * 1000, 500);
    add("python_function", "nn.Module: Block_0", step * 1000 + 10, 200);
    add("python_function", "nn.Module: Block_1", step * 1000 + 220, 200);
    add("python_function", "nn.Module: CrossEntropyLoss_0", step * 1000 + 600, 50);
  }
  const Trace trace = parse_kineto(fmt::format(R"({{"traceEvents":[{}]}})", events)).value();
  const Finding answer = asked(trace, "forward-time");
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(0).value, Cell(500'000.0));
  EXPECT_NE(answer.message.find("'nn.Module: GPT_0' ran 3 times"), std::string::npos);
}

TEST(AskBackward, says_where_all_there_is_is_warm_up) {
  const Trace trace = with_ranges({{.start = 0, .end = 2000, .name = "Warm-up"},
                                   {.start = 100, .end = 500, .name = "Forward"},
                                   {.start = 600, .end = 1600, .name = "Backward"},
                                   {.start = 3000, .end = 3300, .name = "Forward"}});
  const Finding answer = asked(trace, "backward-time");
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(0).value, Cell(1000.0));
  EXPECT_NE(answer.message.find("All of them are warm-up"), std::string::npos) << answer.message;
}

TEST(AskForward, takes_no_hook_operator_or_stage_for_a_pass) {
  const Trace hooks =
      with_ranges({{.start = 0, .end = 300, .name = "FullyShardedDataParallel.forward"},
                   {.start = 400, .end = 700, .name = "FullyShardedDataParallel.forward"}});
  EXPECT_EQ(asked(hooks, "forward-time").kind, FindingKind::abstention);
  const Trace operators = with_ranges({{.start = 0, .end = 900, .name = "step 0"},
                                       {.start = 10, .end = 300, .name = "linear_forward"},
                                       {.start = 310, .end = 600, .name = "linear_forward"},
                                       {.start = 1000, .end = 1900, .name = "step 1"},
                                       {.start = 1010, .end = 1300, .name = "linear_forward"},
                                       {.start = 1310, .end = 1600, .name = "linear_forward"}});
  EXPECT_EQ(asked(operators, "forward-time").kind, FindingKind::abstention);
  const Trace stages = with_ranges({{.start = 0, .end = 300, .name = "backbone"},
                                    {.start = 310, .end = 600, .name = "transformer_forward"},
                                    {.start = 1000, .end = 1300, .name = "backbone"},
                                    {.start = 1310, .end = 1600, .name = "transformer_forward"}});
  const Finding stage = asked(stages, "forward-time");
  EXPECT_EQ(stage.kind, FindingKind::abstention);
  EXPECT_NE(stage.message.find("one stage beside 'backbone'"), std::string::npos) << stage.message;
}

TEST(AskForward, takes_no_layers_for_passes_or_iterations) {
  for (const std::string name : {"layer{}_forward", "forward layer {}", "Block{}.forward"}) {
    std::vector<FixtureRange> ranges;
    for (std::int64_t i = 0; i < 12; ++i) {
      std::string own = name;
      own.replace(own.find("{}"), 2, std::to_string(i % 4));
      ranges.push_back({.start = i * 300, .end = i * 300 + 290, .name = own});
    }
    const Trace trace = with_ranges(ranges);
    const Finding forward = asked(trace, "forward-time");
    EXPECT_EQ(forward.kind, FindingKind::abstention) << forward.message;
    EXPECT_NE(forward.message.find("of a layer"), std::string::npos) << forward.message;
    EXPECT_EQ(asked(trace, "iterations").kind, FindingKind::abstention) << name;
  }
}

TEST(AskForward, takes_the_pass_and_not_the_layers_that_say_forward_too) {
  std::vector<FixtureRange> ranges;
  for (std::int64_t pass = 0; pass < 3; ++pass) {
    const std::int64_t at = pass * 1000;
    ranges.push_back({.start = at, .end = at + 900, .name = "model forward"});
    for (std::int64_t layer = 0; layer < 4; ++layer) {
      ranges.push_back(
          {.start = at + 10 + layer * 200, .end = at + 190 + layer * 200, .name = "forward"});
    }
  }
  const Finding answer = asked(with_ranges(ranges), "forward-time");
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(0).value, Cell(900.0)) << answer.message;
  EXPECT_EQ(answer.evidence.at(1).value, Cell(3)) << answer.message;
}

TEST(AskForward, says_where_a_step_holds_several) {
  std::vector<FixtureRange> ranges;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = step * 1000;
    ranges.push_back({.start = at, .end = at + 900, .name = "step"});
    ranges.push_back({.start = at + 10, .end = at + 400, .name = "forward"});
    ranges.push_back({.start = at + 410, .end = at + 800, .name = "forward"});
  }
  const Finding answer = asked(with_ranges(ranges), "forward-time");
  EXPECT_EQ(answer.evidence.at(1).value, Cell(6));
  EXPECT_NE(answer.message.find("'step' holds 2.0 of them each time"), std::string::npos)
      << answer.message;
}

TEST(AskForward, reads_words_that_capitals_part) {
  const Trace trace = with_ranges({{.start = 0, .end = 300, .name = "ForwardPass"},
                                   {.start = 400, .end = 700, .name = "ForwardPass"}});
  EXPECT_EQ(asked(trace, "forward-time").evidence.at(1).value, Cell(2));
}

TEST(AskForward, takes_what_data_parallel_training_marks_itself) {
  const Trace trace =
      with_ranges({{.start = 0, .end = 300, .name = "DistributedDataParallel.forward"},
                   {.start = 400, .end = 700, .name = "DistributedDataParallel.forward"}});
  const Finding answer = asked(trace, "forward-time");
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_NE(answer.message.find("'DistributedDataParallel.forward' ran 2 times"), std::string::npos)
      << answer.message;
}

TEST(AskForward, counts_the_processes_of_its_passes) {
  const Trace trace = with_ranges({{.start = 0, .end = 300, .name = "forward"},
                                   {.start = 0, .end = 300, .name = "forward", .pid = 200}});
  const Finding answer = asked(trace, "forward-time");
  EXPECT_NE(answer.message.find("ran 2 times in 2 processes"), std::string::npos) << answer.message;
}

TEST(AskIterations, say_that_other_processes_run_the_same_loop) {
  std::vector<FixtureRange> ranges;
  for (const std::uint64_t pid : {100, 200, 300}) {
    for (std::int64_t step = 0; step < 3; ++step) {
      ranges.push_back({.start = step * 1000,
                        .end = step * 1000 + 500,
                        .name = "step " + std::to_string(step),
                        .pid = pid,
                        .tid = pid});
    }
  }
  const Finding answer = asked(with_ranges(ranges), "iterations");
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_NE(answer.message.find("It runs in 2 other processes of the profile too"),
            std::string::npos)
      << answer.message;
}

TEST(AskIterations, of_one_run_are_told_in_the_singular) {
  const Trace trace = with_ranges({{.start = 0, .end = 500, .name = "step 0"}});
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Finding answer = ask(analysis, "iterations", {.range = "step 0"}).value().findings.at(0);
  EXPECT_NE(answer.message.find("ran once and took 500 ns. It is the range asked for."),
            std::string::npos)
      << answer.message;
  EXPECT_EQ(answer.message.find("times"), std::string::npos) << answer.message;
}

TEST(AskIterations, of_one_kernel_are_told_in_the_singular) {
  const Trace trace = with_ranges(
      {{.start = 0, .end = 70, .name = "step 0"}, {.start = 100, .end = 170, .name = "step 1"}});
  const Finding answer = asked(trace, "iterations");
  EXPECT_NE(answer.message.find("It launches 1 kernel each time."), std::string::npos)
      << answer.message;
}

TEST(AskIterations, abstain_on_wrappers_stages_and_setup) {
  std::vector<FixtureRange> wrappers;
  for (std::int64_t i = 0; i < 20; ++i) {
    wrappers.push_back({.start = i * 100, .end = i * 100 + 70, .name = "launch"});
  }
  const Finding wrapper = asked(with_ranges(wrappers), "iterations");
  EXPECT_EQ(wrapper.kind, FindingKind::abstention);
  EXPECT_NE(wrapper.message.find("wraps single launches"), std::string::npos) << wrapper.message;
  const Trace stages = with_ranges({{.start = 0, .end = 400, .name = "backbone"},
                                    {.start = 410, .end = 600, .name = "head"},
                                    {.start = 1000, .end = 1400, .name = "backbone"},
                                    {.start = 1410, .end = 1600, .name = "head"}});
  const Finding stage = asked(stages, "iterations");
  EXPECT_EQ(stage.kind, FindingKind::abstention);
  EXPECT_NE(stage.message.find("is a stage beside 'head'"), std::string::npos) << stage.message;
  std::vector<FixtureRange> moves = {{.start = 5000, .end = 9000, .name = "everything"}};
  for (std::int64_t i = 0; i < 9; ++i) {
    moves.push_back({.start = i * 100, .end = i * 100 + 30, .name = ".cuda()"});
  }
  EXPECT_EQ(asked(with_ranges(moves), "iterations").kind, FindingKind::abstention);
}

TEST(AskIterations, leave_a_slow_beginning_out) {
  const Trace trace = with_ranges({{.start = 0, .end = 5000, .name = "step 0"},
                                   {.start = 6000, .end = 6500, .name = "step 1"},
                                   {.start = 7000, .end = 7500, .name = "step 2"},
                                   {.start = 8000, .end = 8500, .name = "step 3"}});
  const Finding answer = asked(trace, "iterations");
  EXPECT_EQ(answer.kind, FindingKind::answer);
  EXPECT_EQ(answer.evidence.at(0).value, Cell(500.0));
  EXPECT_NE(answer.message.find("warm-up"), std::string::npos) << answer.message;
}

TEST(AskForward, says_where_two_passes_differ_too_much_to_be_averaged) {
  const Trace trace = with_ranges({{.start = 0, .end = 3000, .name = "forward"},
                                   {.start = 4000, .end = 4300, .name = "forward"}});
  const Finding answer = asked(trace, "forward-time");
  EXPECT_NE(answer.message.find("They differ: from 300 ns to 3.000 us."), std::string::npos)
      << answer.message;
}

TEST(AskIterations, are_timed_on_the_host_where_no_launch_is_recorded) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 3; ++i) {
    fixture.range({.start = i * 1000, .end = i * 1000 + 500, .name = "step " + std::to_string(i)});
    fixture.kernel({.start = i * 1000 + 10, .end = i * 1000 + 90, .name = "k"});
  }
  const Finding answer = asked(read_nsys_sqlite(fixture.image()).value(), "iterations");
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(0).value, Cell(500.0));
}

TEST(AskIterations, may_be_ranges_that_another_thread_ends) {
  std::vector<FixtureRange> ranges;
  for (std::int64_t i = 0; i < 4; ++i) {
    ranges.push_back({.start = i * 1000,
                      .end = i * 1000 + 800,
                      .name = "iteration",
                      .type = 60,
                      .end_tid = 107});
    ranges.push_back({.start = i * 1000 + 10, .end = i * 1000 + 700, .name = "forward"});
  }
  const Finding answer = asked(with_ranges(ranges), "iterations");
  EXPECT_NE(answer.message.find("'iteration' ran 4 times"), std::string::npos) << answer.message;
}

TEST(AskForward, knows_no_gpu_time_where_kernels_were_not_recorded) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 900, .name = "forward"});
  fixture.call({.start = 1, .end = 5});
  fixture.call({.start = 6, .end = 9, .name = "cudaMemcpyAsync_v3020", .correlation = 7});
  fixture.copy({.start = 10, .end = 20, .bytes = 4, .correlation = 7});
  const Finding answer = asked(read_nsys_sqlite(fixture.image()).value(), "forward-time");
  EXPECT_NE(answer.message.find("kernels were launched and not recorded"), std::string::npos)
      << answer.message;
}

/// Runs of a range that launch one kernel each, which takes as long as `took` says.
Trace with_kernels(std::string_view name, const std::vector<std::int64_t>& took) {
  NsysFixture fixture;
  std::int64_t free = 0;  // when the GPU is
  for (std::size_t run = 0; run < took.size(); ++run) {
    const auto at = static_cast<std::int64_t>(run) * 100;
    fixture.range({.start = at, .end = at + 20, .name = std::string(name)});
    for (const std::int64_t call : {at + 1, at + 5}) {
      free = std::max(free, call + 3) + took[run];
      fixture.launch({.call_start = call,
                      .call_end = call + 2,
                      .start = free - took[run],
                      .end = free,
                      .name = "k"});
    }
  }
  return read_fixture(fixture);
}

TEST(AskForward, that_is_slow_again_and_again_is_no_warm_up_at_first) {
  // A long prompt each fourth time.
  const Finding answer = asked(
      with_kernels("forward", {90, 10, 10, 10, 90, 10, 10, 10, 90, 10, 10, 10}), "forward-time");
  EXPECT_EQ(answer.evidence.at(1).value, Cell(12)) << answer.message;
  EXPECT_EQ(answer.evidence.at(2).value, Cell(0)) << answer.message;
  EXPECT_NE(answer.message.find("On the GPU they differ: from 20 ns to 180 ns"), std::string::npos)
      << answer.message;
}

TEST(AskIterations, are_not_called_alike_where_the_gpu_takes_differently_long) {
  const Finding answer =
      asked(with_kernels("step", {100, 400, 100, 100, 400, 100, 100, 400, 100}), "iterations");
  EXPECT_NE(answer.message.find("at the median (200 ns to 800 ns)"), std::string::npos)
      << answer.message;
  EXPECT_NE(answer.message.find("3 took the GPU more than one and a half times the median"),
            std::string::npos)
      << answer.message;
}

}  // namespace
}  // namespace assay::trace
