// What questions answer about kernels and GPUs, each profile made for one trap.
#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "trace/analysis/asked.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

TEST(AskDevice, mpi_is_no_launching_and_communicates_from_the_host) {
  NsysFixture fixture;
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t at = step * 1000;
    fixture.range({.start = at + 200, .end = at + 990, .name = "MPI_Sendrecv"});
    fixture.launch({.call_start = at + 1,
                    .call_end = at + 5,
                    .start = at + 10,
                    .end = at + 200,
                    .name = "stencil"});
  }
  const Trace trace = read_fixture(fixture);
  EXPECT_NE(asked(trace, "launch-bound").message.find("not for launches"), std::string::npos);
  const Finding communication = asked(trace, "communication");
  EXPECT_EQ(communication.kind, FindingKind::abstention);
  EXPECT_NE(communication.message.find("MPI communicates from the host"), std::string::npos);
}

TEST(AskTopKernel, leaves_warm_up_out_of_the_whole_profile) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 1000, .name = "warmup"});
  fixture.launch({.call_start = 10, .call_end = 20, .start = 30, .end = 930, .name = "autotune"});
  fixture.launch({.call_start = 2000, .call_end = 2010, .start = 2030, .end = 2130, .name = "k"});
  const Finding answer = asked(read_nsys_sqlite(fixture.image()).value(), "top-kernel");
  EXPECT_EQ(answer.evidence.at(0).value, Cell("k")) << answer.message;
  EXPECT_NE(answer.message.find("without its warm-up (1 launch)"), std::string::npos)
      << answer.message;
}

TEST(AskClassShares, of_training_hold_the_optimizer) {
  NsysFixture fixture;
  std::int64_t at = 0;
  const auto pass = [&](const char* range, const char* kernel) {
    fixture.range({.start = at, .end = at + 320, .name = range});
    fixture.launch({.call_start = at + 1,
                    .call_end = at + 2,
                    .start = at + 5,
                    .end = at + 305,
                    .name = kernel});
    at += 400;
  };
  pass("build optimizer_init", "elementwise");
  for (int step = 0; step < 4; ++step) {
    pass("forward", "sgemm");
    pass("backward", "sgemm");
    pass("optimizer step", "multi_tensor_apply_kernel");
  }
  const Finding answer = asked(read_nsys_sqlite(fixture.image()).value(), "class-shares");
  EXPECT_EQ(answer.evidence.at(0).value, Cell(100.0)) << answer.message;
  EXPECT_EQ(answer.evidence.at(1).value, Cell(66.7)) << answer.message;
  EXPECT_NE(answer.message.find("forward + backward + optimizer step"), std::string::npos)
      << answer.message;
}

TEST(AskClassShares, know_an_optimizer_by_its_short_name_and_no_model_for_one) {
  const Trace trace = with_ranges({{.start = 0, .end = 100, .name = "forward"},
                                   {.start = 100, .end = 200, .name = "backward"},
                                   {.start = 200, .end = 300, .name = "opt.step()"},
                                   {.start = 300, .end = 400, .name = "OPT.decoder"}});
  const Finding answer = asked(trace, "class-shares");
  EXPECT_NE(answer.message.find("forward + backward + opt.step()"), std::string::npos)
      << answer.message;
  EXPECT_EQ(answer.message.find("decoder"), std::string::npos) << answer.message;
}

TEST(AskClassShares, of_iterations_stand_for_training_where_autograd_alone_says_backward) {
  for (const bool trains : {true, false}) {
    NsysFixture fixture;
    for (std::int64_t at = 0; at < 4000; at += 1000) {
      fixture.range({.start = at, .end = at + 990, .name = "step"});
      fixture.range({.start = at + 10, .end = at + 400, .name = "forward"});
      fixture.launch({.call_start = at + 20,
                      .call_end = at + 30,
                      .start = at + 40,
                      .end = at + 140,
                      .name = "sgemm"});
      const char* node = trains ? "autograd::engine::evaluate_function: ReluBackward0" : "sample";
      fixture.range({.start = at + 500, .end = at + 600, .name = node, .tid = 107});
      fixture.launch({.call_start = at + 520,
                      .call_end = at + 530,
                      .start = at + 540,
                      .end = at + 840,
                      .name = "elementwise_kernel",
                      .tid = 107});
    }
    const Finding answer = asked(read_nsys_sqlite(fixture.image()).value(), "class-shares");
    EXPECT_EQ(answer.kind, trains ? FindingKind::answer : FindingKind::abstention)
        << answer.message;
    if (!trains) continue;
    EXPECT_NE(answer.message.find("100% of the kernel time of forward and 25% of that of step"),
              std::string::npos)
        << answer.message;
  }
}

/// Three steps of training, with `each` forward passes for a backward pass, and five forward passes
/// of evaluation after the second: sgemm takes 100 of a forward pass, softmax_backward 180 of a
/// backward pass.
Trace evaluated_between_steps(int each) {
  NsysFixture fixture;
  std::int64_t at = 0;
  const auto pass = [&](const char* range, const char* kernel, std::int64_t took) {
    fixture.range({.start = at, .end = at + took + 20, .name = range});
    fixture.launch({.call_start = at + 1,
                    .call_end = at + 2,
                    .start = at + 5,
                    .end = at + 5 + took,
                    .name = kernel});
    at += took + 100;
  };
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < each + (step == 2 ? 5 : 0); ++i) pass("forward", "sgemm", 100);
    pass("backward", "softmax_backward", 180);
  }
  return read_fixture(fixture);
}

TEST(AskClassShares, of_training_leave_evaluation_out) {
  const Finding answer = asked(evaluated_between_steps(1), "class-shares");
  EXPECT_EQ(answer.evidence.at(1).value, Cell(35.7)) << "300 of 840: " << answer.message;
  EXPECT_NE(answer.message.find("without 5 forward passes that no backward pass follows"),
            std::string::npos)
      << answer.message;
}

TEST(AskClassShares, of_training_keep_each_forward_pass_of_a_step) {
  const Finding answer = asked(evaluated_between_steps(2), "class-shares");
  EXPECT_EQ(answer.evidence.at(1).value, Cell(52.6)) << "600 of 1140: " << answer.message;
}

TEST(AskTopKernel, of_training_is_not_that_of_evaluation) {
  const Finding answer = asked(evaluated_between_steps(1), "top-kernel");
  EXPECT_NE(answer.message.find("it is another: 'softmax_backward' takes the most"),
            std::string::npos)
      << "540 against 300: " << answer.message;
  EXPECT_NE(answer.message.find("in 3 launches (1 a pass)"), std::string::npos) << answer.message;
}

TEST(AskTopKernel, says_what_the_profile_cuts_off) {
  const Trace trace = with_ranges({{.start = 0, .end = 300, .name = "forward"},
                                   {.start = 400, .end = 700, .name = "forward"},
                                   {.start = 800, .end = std::nullopt, .name = "forward"}});
  const Finding answer = asked(trace, "top-kernel");
  EXPECT_NE(answer.message.find("'forward' ran 2 times. 1 that the profile cuts off is left out."),
            std::string::npos)
      << answer.message;
}

TEST(AskClassShares, compare_passes_of_the_same_iterations) {
  NsysFixture fixture;
  std::int64_t at = 0;
  const auto pass = [&](const char* range, const char* kernel, std::int64_t took) {
    fixture.range({.start = at, .end = at + took + 20, .name = range});
    fixture.launch({.call_start = at + 1,
                    .call_end = at + 2,
                    .start = at + 5,
                    .end = at + 5 + took,
                    .name = kernel});
    at += took + 100;
  };
  for (int step = 0; step < 4; ++step) {
    pass("forward", "sgemm", step == 0 ? 3000 : 300);
    pass("backward", "softmax_backward", 300);
  }
  const Finding answer = asked(read_nsys_sqlite(fixture.image()).value(), "class-shares");
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(1).value, Cell(50.0))
      << "three of each, not three against four: " << answer.message;
}

TEST(AskIdle, abstains_where_kernels_were_launched_and_not_recorded) {
  NsysFixture fixture;
  fixture.call({.start = 0, .end = 5});
  fixture.copy({.start = 10, .end = 20, .bytes = 4});
  fixture.copy({.start = 900, .end = 920, .bytes = 4});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const Finding idle = asked(trace, "idle");
  EXPECT_EQ(idle.kind, FindingKind::abstention) << idle.message;
  EXPECT_NE(idle.message.find("holds 1 kernel launch and none of the kernels"), std::string::npos)
      << idle.message;
  EXPECT_NE(asked(trace, "copies").message.find("whether beside kernels is not known"),
            std::string::npos);
}

TEST(AskLaunchBound, names_what_the_host_did) {
  const Trace trace = with_ranges({{.start = 0, .end = 900, .name = "a"}});
  const Finding answer = asked(trace, "launch-bound");
  EXPECT_NE(answer.message.find("the most of it because"), std::string::npos) << answer.message;
}

TEST(AskIdle, does_not_call_a_missing_record_a_cause) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 100, .name = "k"});
  fixture.kernel({.start = 500, .end = 600, .name = "k"});
  const Finding answer = asked(read_nsys_sqlite(fixture.image()).value(), "idle");
  EXPECT_NE(answer.message.find("in 1 gap, 100% is for a reason that cannot be told"),
            std::string::npos)
      << answer.message;
}

TEST(AskCommunication, speaks_of_the_gpus_that_communicate) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 100, .name = "ncclDevKernel_AllReduce_Sum_f32"});
  fixture.kernel({.start = 0, .end = 100, .name = "gemm", .device = 1});
  const Finding answer = asked(read_nsys_sqlite(fixture.image()).value(), "communication");
  EXPECT_NE(answer.message.find("GPU 0 communicates"), std::string::npos) << answer.message;
  EXPECT_EQ(answer.message.find("GPU 1"), std::string::npos) << answer.message;
}

/// Passes of four kernels each. The calls of `lost` of them are not recorded.
Trace with_lost_calls(std::int64_t lost) {
  NsysFixture fixture;
  for (std::int64_t pass = 0; pass < 5; ++pass) {
    fixture.range({.start = pass * 100, .end = pass * 100 + 90, .name = "forward"});
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t at = pass * 100 + i * 20;
      const auto correlation = static_cast<std::uint32_t>(1 + pass * 4 + i);
      if (i >= lost) {
        fixture.call({.start = at + 1, .end = at + 2, .correlation = correlation});
      }
      fixture.kernel({.start = at + 3,
                      .end = at + 13,
                      .name = i == 3 ? "large" : "small",
                      .correlation = correlation});
    }
  }
  return read_fixture(fixture);
}

TEST(AskTopKernel, abstains_where_most_kernels_cannot_be_placed) {
  const Finding answer = asked(with_lost_calls(3), "top-kernel");
  EXPECT_EQ(answer.kind, FindingKind::abstention);
  EXPECT_NE(answer.message.find("the calls that launched them are not in the profile"),
            std::string::npos)
      << answer.message;
}

TEST(AskBesidesMatmul, says_how_much_cannot_be_placed) {
  const Finding answer = asked(with_lost_calls(1), "besides-matmul");
  EXPECT_EQ(answer.kind, FindingKind::answer);
  EXPECT_NE(answer.message.find("The calls that launched 25% of the profile's kernel time are not "
                                "recorded"),
            std::string::npos)
      << answer.message;
}

TEST(AskTopKernel, abstains_where_kernels_have_no_names) {
  NsysFixture fixture;
  fixture.launch({.call_start = 1, .call_end = 2, .start = 3, .end = 9, .name = "gemm"});
  fixture.launch({.call_start = 11, .call_end = 12, .start = 13, .end = 19, .name = "relu"});
  fixture.sql("DELETE FROM StringIds");
  const Trace trace = read_fixture(fixture);
  for (const char* question : {"top-kernel", "besides-matmul"}) {
    const Finding answer = asked(trace, question);
    EXPECT_EQ(answer.kind, FindingKind::abstention) << question;
    EXPECT_NE(answer.message.find("does not hold the names"), std::string::npos) << answer.message;
  }
}

}  // namespace
}  // namespace assay::trace
