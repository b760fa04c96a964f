#include "trace/analysis/ask.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attention_flops.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

Trace demo(const DemoOptions& options = {}) {
  NsysFixture fixture(options.release);
  add_demo(fixture, options);
  return read_nsys_sqlite(fixture.image()).value();
}

class Ask : public testing::Test {
 protected:
  Report answer(std::string_view question, const AskOptions& options = {}) {
    auto report = ask(analysis_, question, options);
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message());
    return report ? *std::move(report) : Report();
  }
  static const Finding& first(const Report& report) { return report.findings.at(0); }
  static Cell evidence(const Report& report, std::string_view name) {
    for (const Fact& fact : first(report).evidence) {
      if (fact.name == name) return fact.value;
    }
    return {};
  }

  OpClassifier classifier_;
  Trace trace_ = demo();
  Analysis analysis_{trace_, classifier_};
};

const AttentionShape kDemoShape{
    .batch = 4, .heads = 12, .queries = 512, .keys = 512, .head_dim = 64};

TEST_F(Ask, forward_time_is_that_of_its_ranges) {
  const Report report = answer("forward-time");
  EXPECT_EQ(first(report).kind, FindingKind::answer);
  EXPECT_EQ(evidence(report, "count"), Cell(3));
  EXPECT_NE(first(report).message.find("No measured time"), std::string::npos);
}

TEST_F(Ask, forward_time_agrees_with_a_measured_time_or_does_not) {
  const Report report = answer("forward-time");
  const auto average = std::chrono::nanoseconds(
      static_cast<std::int64_t>(evidence(report, "host_average_ns").number().value()));
  EXPECT_NE(first(answer("forward-time", {.measured = average})).message.find("agrees"),
            std::string::npos);
  EXPECT_NE(first(answer("forward-time", {.measured = average * 2})).message.find("does not agree"),
            std::string::npos);
}

TEST_F(Ask, forward_time_without_such_a_range_is_an_abstention) {
  const Trace bare = read_nsys_sqlite(NsysFixture().image()).value();
  Analysis analysis(bare, classifier_);
  const Report report = ask(analysis, "forward-time", {}).value();
  EXPECT_EQ(first(report).kind, FindingKind::abstention);
  EXPECT_NE(first(report).message.find("no range that says forward"), std::string::npos);
}

TEST_F(Ask, forward_time_of_a_range_that_is_not_there_names_those_that_are) {
  const Report report = answer("forward-time", {.range = "encoder"});
  EXPECT_EQ(first(report).kind, FindingKind::abstention);
  EXPECT_NE(first(report).message.find("'forward'"), std::string::npos);
}

TEST_F(Ask, top_kernel_is_compared_with_forward_and_backward) {
  const Report report = answer("top-kernel");
  EXPECT_EQ(evidence(report, "kernel"), Cell("ampere_sgemm_128x64_tn"));
  EXPECT_EQ(evidence(report, "count"), Cell(18)) << "3 steps of 2 layers of 3";
  EXPECT_NE(first(report).message.find("For forward + backward it is another"), std::string::npos);
  EXPECT_EQ(report.tables.size(), 2U);
}

TEST_F(Ask, top_kernel_under_the_first_rule_alone_sees_no_backward_kernel) {
  const Report report = answer("top-kernel", {.range = "backward", .rule = RangeRule::same_thread});
  EXPECT_EQ(first(report).kind, FindingKind::abstention);
}

TEST_F(Ask, besides_matmul_lists_the_other_classes_with_their_rules) {
  const Report report = answer("besides-matmul");
  EXPECT_NE(first(report).message.find("softmax"), std::string::npos);
  const Table* others = report.find_table("kernels_besides_matmul");
  ASSERT_NE(others, nullptr);
  EXPECT_EQ(others->rows.size(), 3U);
  EXPECT_FALSE(others->find(0, "rule")->absent());
}

TEST_F(Ask, class_shares_compare_two_ranges) {
  const Report report = answer(
      "class-shares", {.range = "forward", .against_range = "forward + backward + optimizer"});
  EXPECT_EQ(first(report).kind, FindingKind::answer);
  const Table* shares = report.find_table("class_shares");
  ASSERT_NE(shares, nullptr);
  double a = 0;
  double b = 0;
  for (std::size_t row = 0; row < shares->rows.size(); ++row) {
    a += shares->find(row, "a_pct")->number().value();
    b += shares->find(row, "b_pct")->number().value();
  }
  EXPECT_NEAR(a, 100, 0.5);
  EXPECT_NEAR(b, 100, 0.5);
}

TEST_F(Ask, class_shares_compare_two_profiles) {
  const Trace inference = demo({.training = false});
  Analysis other(inference, classifier_);
  AskOptions options{.range = "step *", .against_range = "step *"};
  options.against = &other;
  const Report report = answer("class-shares", options);
  EXPECT_EQ(first(report).kind, FindingKind::answer);
  EXPECT_LT(evidence(report, "a_gemm_pct").number(), evidence(report, "b_gemm_pct").number());
}

TEST_F(Ask, class_shares_without_a_second_part_are_an_abstention) {
  const Trace inference = demo({.training = false});
  Analysis analysis(inference, classifier_);
  const Report report = ask(analysis, "class-shares", {}).value();
  EXPECT_EQ(first(report).kind, FindingKind::abstention);
  EXPECT_NE(first(report).message.find("takes 73.4% of the kernel time inside 'forward'. There is "
                                       "nothing to compare"),
            std::string::npos)
      << first(report).message;
}

TEST_F(Ask, attention_compares_time_with_operations) {
  const Report report = answer("attention", {.shape = kDemoShape});
  EXPECT_EQ(first(report).kind, FindingKind::answer);
  EXPECT_EQ(evidence(report, "qk_flop"), Cell(1'610'612'736));
  EXPECT_EQ(evidence(report, "softmax_ns"), Cell(6 * 15'000));
  EXPECT_EQ(evidence(report, "matmul_ns"), Cell(6 * 40'000));
  EXPECT_DOUBLE_EQ(evidence(report, "time_ratio").number().value(), 0.375);
  EXPECT_NE(first(report).message.find("by the ranges inside it"), std::string::npos);
}

TEST_F(Ask, attention_without_a_shape_answers_about_time_alone) {
  const Report report = answer("attention");
  EXPECT_EQ(first(report).kind, FindingKind::answer);
  EXPECT_NE(first(report).message.find("give the shape"), std::string::npos);
  EXPECT_TRUE(evidence(report, "qk_flop").absent());
}

TEST_F(Ask, fused_attention_is_an_abstention) {
  const Trace fused = demo({.fused_attention = true});
  Analysis analysis(fused, classifier_);
  const Report report = ask(analysis, "attention", {.shape = kDemoShape}).value();
  EXPECT_EQ(first(report).kind, FindingKind::abstention);
  EXPECT_NE(first(report).message.find("fused"), std::string::npos);
}

TEST_F(Ask, idle_names_the_main_cause) {
  const Report report = answer("idle");
  EXPECT_EQ(first(report).kind, FindingKind::answer);
  EXPECT_NE(first(report).message.find("outside CUDA"), std::string::npos);
}

TEST_F(Ask, launch_bound_tells_data_loading_from_launching) {
  NsysFixture fixture;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = step * 10'000'000;
    fixture.range({.start = at, .end = at + 6'000'000, .name = "load batch"});
    fixture.launch({.call_start = at + 6'001'000,
                    .call_end = at + 6'002'000,
                    .start = at + 6'010'000,
                    .end = at + 9'900'000,
                    .name = "k"});
  }
  const Trace trace = read_fixture(fixture);
  Analysis analysis(trace, classifier_);
  const Report report = ask(analysis, "launch-bound", {}).value();
  EXPECT_NE(first(report).message.find("but not for launches"), std::string::npos)
      << first(report).message;
  EXPECT_NE(first(report).message.find("'load batch'"), std::string::npos);
}

TEST_F(Ask, questions_about_the_device_answer_or_abstain) {
  const Trace bare = read_nsys_sqlite(NsysFixture().image()).value();
  Analysis nothing(bare, classifier_);
  for (const char* question : {"idle", "launch-bound", "communication", "copies", "iterations"}) {
    EXPECT_EQ(first(answer(question)).kind, FindingKind::answer) << question;
    EXPECT_EQ(first(ask(nothing, question, {}).value()).kind, FindingKind::abstention) << question;
  }
}

TEST(WhichQuestion, understands_names_and_words) {
  EXPECT_EQ(which_question("idle").value(), "idle");
  EXPECT_EQ(which_question("Which kernel takes the most time?").value(), "top-kernel");
  EXPECT_EQ(which_question("how long is the forward pass, and does it match timeit").value(),
            "forward-time");
  EXPECT_EQ(which_question("what takes time besides matmul?").value(), "besides-matmul");
  EXPECT_EQ(which_question("softmax vs matmul").value(), "attention");
}

TEST(WhichQuestion, understands_other_words_for_the_same) {
  const std::vector<std::pair<std::string_view, std::string_view>> asked = {
      {"what's the forward latency", "forward-time"},
      {"what does backprop cost?", "backward-time"},
      {"which kernels dominate GPU time?", "top-kernel"},
      {"Which kernels other than matrix multiplications take time?", "besides-matmul"},
      {"what takes time apart from matmul?", "besides-matmul"},
      {"which non-GEMM kernels matter", "besides-matmul"},
      {"What percentage of time is matmul in training vs inference?", "class-shares"},
      {"what percentage of the time is the GPU idle?", "idle"},
      {"what is the GPU waiting for?", "idle"},
      {"what does the GPU wait for?", "idle"},
      {"is it CPU bound?", "launch-bound"},
      {"is all-reduce overlapped with backward?", "communication"},
      {"how much time do memory transfers take?", "copies"},
      {"how long does one training step take?", "iterations"}};
  for (const auto& [text, name] : asked) {
    const auto found = which_question(text);
    EXPECT_EQ(found.value_or("none"), name) << text;
  }
}

TEST(WhichQuestion, does_not_take_one_step_for_another) {
  EXPECT_EQ(which_question("how long does the optimizer step take?").value(), "optimizer-time");
}

TEST(WhichQuestion, understands_what_people_call_things) {
  const std::vector<std::pair<std::string_view, std::string_view>> asked = {
      {"duration of fwd pass", "forward-time"},
      {"how expensive is backprop", "backward-time"},
      {"how long does AdamW take", "optimizer-time"},
      {"where are the bubbles", "idle"},
      {"how much of the time is the GPU doing nothing", "idle"},
      {"is data loading the bottleneck", "idle"},
      {"what fraction of the time is the GPU idle", "idle"},
      {"what fraction of communication is exposed", "communication"},
      {"how many bytes are copied to the device", "copies"},
      {"how much data is moved between CPU and GPU?", "copies"},
      {"How many milliseconds does one forward take?", "forward-time"},
      {"which non-matrix-multiply kernels take time", "besides-matmul"},
      {"how does the portion of matmul change in a training step?", "class-shares"},
      {"how long does a decode step take?", "none"}};
  for (const auto& [text, name] : asked)
    EXPECT_EQ(which_question(text).value_or("none"), name) << text;
}

TEST(WhichQuestion, does_not_answer_one_question_for_another) {
  for (const std::string_view text :
       {"which layer is the slowest?", "Which API call takes the most time?",
        "Which CPU function takes the most time?", "What is the occupancy of the top kernel?",
        "How many kernel launches are there per step?", "How many kernels were launched?"}) {
    EXPECT_NE(which_question(text).value_or("none"), "top-kernel") << text;
    EXPECT_NE(which_question(text).value_or("none"), "launch-bound") << text;
  }
}

TEST(WhichQuestion, does_not_take_launches_for_time) {
  for (const std::string_view text :
       {"which kernel is launched most often?", "What is the most frequently called kernel?"}) {
    EXPECT_FALSE(which_question(text).has_value()) << text;
  }
  EXPECT_EQ(which_question("Which kernel takes the most time, and how often does it run?").value(),
            "top-kernel");
}

TEST_F(Ask, a_question_about_the_backward_pass_is_answered_about_it) {
  const Report report = answer("Which kernel takes the most time in the backward pass?");
  EXPECT_EQ(evidence(report, "kernel"), Cell("ampere_sgemm_128x64_nn"));
  EXPECT_NE(first(report).message.find("of backward"), std::string::npos) << first(report).message;
  const Report rest = answer("what takes time besides matmul in backward?");
  EXPECT_NE(first(rest).message.find("inside 'backward'"), std::string::npos)
      << first(rest).message;
}

TEST_F(Ask, a_question_about_a_pass_that_is_not_there_is_not_answered_about_another) {
  const Trace inference = demo({.training = false});
  Analysis analysis(inference, classifier_);
  const Report report = ask(analysis, "which kernel dominates the backward pass?", {}).value();
  EXPECT_EQ(first(report).kind, FindingKind::abstention);
  EXPECT_NE(first(report).message.find("no range that says backward"), std::string::npos)
      << first(report).message;
}

TEST(WhichQuestion, understands_an_assignment_in_its_own_words) {
  EXPECT_EQ(which_question("What is the total time spent on your forward pass? Does it match what "
                           "we had measured before with the Python standard library?")
                .value(),
            "forward-time");
  EXPECT_EQ(which_question("What CUDA kernel takes the most cumulative GPU time during the forward "
                           "pass? How many times is this kernel invoked? Is it the same kernel for "
                           "forward+backward?")
                .value(),
            "top-kernel");
  EXPECT_EQ(which_question("What other kernels besides matrix multiplies account for non-trivial "
                           "CUDA runtime in the forward pass?")
                .value(),
            "besides-matmul");
  EXPECT_EQ(which_question("How does the fraction of time spent on matrix multiplication change, "
                           "compared to doing inference (forward pass only)? How about other "
                           "kernels?")
                .value(),
            "class-shares");
  EXPECT_EQ(which_question("Compare the runtime of the softmax operation versus the matrix "
                           "multiplication operations within the self-attention layer during a "
                           "forward pass. How does the difference in runtimes compare to the "
                           "difference in FLOPs?")
                .value(),
            "attention");
  EXPECT_EQ(which_question("Profile running one complete training step with AdamW. How does the "
                           "fraction of time spent on matrix multiplication change?")
                .value(),
            "class-shares");
}

TEST(WhichQuestion, understands_the_headings_of_that_assignment) {
  for (const auto& [heading, name] :
       {std::pair{"Forward Pass Timing Comparison", "forward-time"},
        std::pair{"Most Expensive CUDA Kernel", "top-kernel"},
        std::pair{"Non-Matmul Kernels", "besides-matmul"},
        std::pair{"Top 10 kernels, excluding gemm", "besides-matmul"},
        std::pair{"Training vs Inference Kernel Distribution", "class-shares"},
        std::pair{"Softmax vs Matmul in Attention", "attention"},
        std::pair{"How long did the backward pass take?", "backward-time"},
        std::pair{"How long do the forward and the backward pass take?", "forward-time"}}) {
    const auto found = which_question(heading);
    ASSERT_TRUE(found.has_value()) << heading;
    EXPECT_EQ(*found, name) << heading;
  }
}

TEST(WhichQuestion, does_not_guess) {
  EXPECT_EQ(which_question("why?").error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(which_question("why?").error().message().find("forward-time"), std::string::npos);
  EXPECT_FALSE(which_question("idle copies").has_value()) << "two of them";
}

TEST(Questions, have_distinct_names_that_are_understood) {
  for (const QuestionName& name : questions()) {
    EXPECT_EQ(which_question(name.name).value(), name.name);
    EXPECT_EQ(which_question(name.question).value(), name.name) << name.question;
  }
}

}  // namespace
}  // namespace assay::trace
