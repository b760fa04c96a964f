// What is concluded from real captures, where the folder that holds them is beside the project.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/testkit/checkout.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/operators.hpp"
#include "trace/analysis/pick_kernels.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/events/kineto.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

class RealAnswers : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no captures at " << folder();
  }

  static std::filesystem::path folder() { return testkit::shared_data(); }
  static Trace nsys(const std::string& name) {
    return read_nsys_sqlite(folder() / "sqlite" / (name + ".sqlite")).value();
  }
  static Trace kineto(const std::string& name) {
    return read_kineto(folder() / "kineto" / (name + ".json.gz")).value();
  }
  static Finding asked(const Trace& trace, std::string_view question,
                       const AskOptions& options = {}) {
    const OpClassifier classifier;
    Analysis analysis(trace, classifier);
    return ask(analysis, question, options).value().findings.at(0);
  }
  static double evidence(const Finding& finding, std::string_view name) {
    for (const Fact& fact : finding.evidence) {
      if (fact.name == name) return fact.value.number().value_or(-1);
    }
    return -1;
  }
};

TEST_F(RealAnswers, forward_passes_without_warm_up_take_66_8_ms) {
  const Finding answer = asked(nsys("jsun_cs336"), "forward-time");
  EXPECT_EQ(answer.kind, FindingKind::answer);
  EXPECT_NEAR(evidence(answer, "host_average_ns"), 66.84e6, 0.01e6) << answer.message;
  EXPECT_EQ(evidence(answer, "count"), 10);
  EXPECT_EQ(evidence(answer, "warm_up_count"), 5);
  EXPECT_NE(answer.message.find("77.66 ms"), std::string::npos) << answer.message;
}

TEST_F(RealAnswers, the_top_kernel_of_forward_is_counted_by_pass) {
  const Finding answer = asked(nsys("jsun_cs336"), "top-kernel");
  EXPECT_EQ(answer.kind, FindingKind::answer);
  EXPECT_EQ(evidence(answer, "passes"), 10);
  EXPECT_NE(answer.message.find("850 launches (85 a pass)"), std::string::npos) << answer.message;
  EXPECT_NE(answer.message.find("of the warm-up, which alone has both"), std::string::npos)
      << "its benchmark runs forward alone: " << answer.message;
}

TEST_F(RealAnswers, one_stage_of_a_detector_is_no_model_and_no_iteration) {
  for (const char* name : {"ecf_baseline_a", "ecf_pool_a"}) {
    const Trace trace = nsys(name);
    EXPECT_EQ(asked(trace, "forward-time").kind, FindingKind::abstention) << name;
    const Finding iterations = asked(trace, "iterations");
    EXPECT_EQ(iterations.kind, FindingKind::abstention) << name << iterations.message;
    EXPECT_NE(iterations.message.find("stage"), std::string::npos) << iterations.message;
  }
}

TEST_F(RealAnswers, operators_alone_are_no_passes) {
  for (const char* name : {"nsysai_h100_2gpu_1s", "nsysai_mfu_2gpu_before"}) {
    const Trace trace = nsys(name);
    EXPECT_EQ(asked(trace, "forward-time").kind, FindingKind::abstention) << name;
    EXPECT_EQ(asked(trace, "iterations").kind, FindingKind::abstention) << name;
  }
}

TEST_F(RealAnswers, steps_and_passes_of_the_pytorch_profiler_are_found) {
  const Trace trace = kineto("hta_nccl_parser_config_nccl_data");
  const Finding forward = asked(trace, "forward-time");
  EXPECT_EQ(forward.kind, FindingKind::answer) << forward.message;
  EXPECT_NE(forward.message.find("## forward ##"), std::string::npos) << forward.message;
  const Finding iterations = asked(trace, "iterations");
  EXPECT_EQ(iterations.kind, FindingKind::answer) << iterations.message;
  EXPECT_NE(iterations.message.find("ProfilerStep"), std::string::npos) << iterations.message;
}

TEST_F(RealAnswers, warm_up_that_is_named_so_is_no_measured_pass) {
  const Finding answer =
      asked(kineto("hta_critical_path_alexnet_benchmark_result_2869224_1695835535_trace"),
            "forward-time");
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(evidence(answer, "count"), 1) << answer.message;
  EXPECT_EQ(evidence(answer, "warm_up_count"), 1) << answer.message;
  EXPECT_NE(answer.message.find("measure|forward"), std::string::npos) << answer.message;
}

TEST_F(RealAnswers, convolutions_of_a_network_are_convolutions) {
  const Trace trace = kineto("hta_critical_path_alexnet_benchmark_result_2869224_1695835535_trace");
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  double convolution = 0;
  for (const ClassSum& sum :
       class_sums(analysis.kernel_sums(KernelNaming::demangled), classifier)) {
    if (sum.op == OpClass::convolution) convolution = static_cast<double>(sum.total);
  }
  EXPECT_GT(convolution, 5.0e6) << "scudnn, xmma_fprop, fft2d, cgemm: 5.1 ms";
  const Table operators = operator_table(analysis).value();
  double conv2d = 0;
  for (std::size_t row = 0; row < operators.rows.size(); ++row) {
    if (*operators.find(row, "operator") == Cell("aten::conv2d")) {
      conv2d += operators.find(row, "total_ns")->number().value();
    }
  }
  EXPECT_GE(conv2d, convolution * 0.9);
}

TEST_F(RealAnswers, operators_of_backward_stand_apart) {
  const Trace trace = kineto("hta_nccl_parser_config_nccl_data");
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Table operators = operator_table(analysis).value();
  bool forward = false;
  bool backward = false;
  for (std::size_t row = 0; row < operators.rows.size(); ++row) {
    if (*operators.find(row, "operator") == Cell("aten::conv2d")) {
      forward |= *operators.find(row, "pass") == Cell("forward");
    }
    if (*operators.find(row, "operator") == Cell("aten::convolution_backward")) {
      EXPECT_EQ(*operators.find(row, "pass"), Cell("backward"));
      backward = true;
    }
  }
  EXPECT_TRUE(forward && backward);
}

TEST_F(RealAnswers, the_handoff_profiles_the_grid_with_the_most_time) {
  const Trace trace = nsys("jsun_cs336");
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const PickPlan plan = pick_kernels(analysis, 5, "", RangeRule::both).value();
  for (const KernelPick& pick : plan.picks) {
    if (pick.grid_rank != 1) continue;
    for (const KernelPick& other : plan.picks) {
      if (other.rank != pick.rank) continue;
      EXPECT_GE(pick.total, other.total) << pick.name;
    }
    // The launch that ncu will stop at has that grid.
    const std::regex name(pick.name_regex);
    std::vector<bool> fits;
    for (std::uint32_t function = 0; function < trace.functions.size(); ++function) {
      fits.push_back(std::regex_search(std::string(trace.function_name(function)), name));
    }
    std::uint64_t seen = 0;
    for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
      if (!fits[trace.kernels.function[row]]) continue;
      if (seen++ != pick.launch_skip) continue;
      EXPECT_EQ(trace.shapes[trace.kernels.shape[row]].grid, pick.shape.grid) << pick.name;
    }
  }
}

}  // namespace
}  // namespace assay::trace
