// What is told of softmax and matrix multiplication inside attention, each made for one trap.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

Finding attention_in(const NsysFixture& fixture) {
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  return ask(analysis, "attention", {}).value().findings.at(0);
}

TEST(AskAttention, without_ranges_goes_by_the_order_of_kernels_and_says_so) {
  NsysFixture fixture;
  std::int64_t at = 0;
  for (int call = 0; call < 4; ++call) {
    for (const auto& [name, took] :
         {std::pair{"linear_gemm", 70}, std::pair{"sgemm_qk", 20},
          std::pair{"elementwise_scale", 5}, std::pair{"softmax_warp_forward", 15},
          std::pair{"sgemm_av", 25}, std::pair{"elementwise_x", 5}}) {
      fixture.launch({.call_start = at,
                      .call_end = at + 1,
                      .start = at + 2,
                      .end = at + 2 + took,
                      .name = name});
      at += 100;
    }
  }
  const Finding answer = attention_in(fixture);
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(0).value, Cell(60));
  EXPECT_EQ(answer.evidence.at(1).value, Cell(180)) << "the linear layers are not attention's";
  EXPECT_NE(answer.message.find("order of kernels"), std::string::npos) << answer.message;
}

TEST(AskAttention, does_not_reach_into_the_next_step_for_products) {
  NsysFixture fixture;
  std::int64_t at = 0;
  for (int step = 0; step < 4; ++step) {
    fixture.range({.start = at, .end = at + 390, .name = "token " + std::to_string(step)});
    for (const char* name : {"sgemm", "elementwise_x", "sgemm_head", "softmax_warp_forward"}) {
      fixture.launch({.call_start = at + 1,
                      .call_end = at + 2,
                      .start = at + 3,
                      .end = at + 53,
                      .name = name});
      at += 100;
    }
  }
  const Finding answer = attention_in(fixture);
  EXPECT_EQ(answer.kind, FindingKind::abstention) << "it chooses a token: " << answer.message;
}

/// One layer of attention: a range around it, a range around each of its parts where they have
struct LayerPart {
  const char* range;
  const char* kernel;
  std::int64_t took;
};
Finding attention_of(const std::vector<LayerPart>& parts) {
  NsysFixture fixture;
  std::int64_t at = 0;
  for (int layer = 0; layer < 2; ++layer) {
    const std::int64_t begin = at;
    for (const LayerPart& part : parts) {
      if (*part.range != '\0') fixture.range({.start = at, .end = at + 90, .name = part.range});
      fixture.launch({.call_start = at + 1,
                      .call_end = at + 2,
                      .start = at + 3,
                      .end = at + 3 + part.took,
                      .name = part.kernel});
      at += 100;
    }
    fixture.range({.start = begin, .end = at - 1, .name = "attention"});
  }
  return attention_in(fixture);
}

TEST(AskAttention, projections_inside_its_range_are_no_scores) {
  const Finding answer = attention_of({{"qkv_proj", "sgemm_a", 70},
                                       {"qk", "sgemm_b", 20},
                                       {"softmax", "softmax_warp_forward", 15},
                                       {"attn @ v", "sgemm_c", 25},
                                       {"out_proj", "sgemm_d", 30}});
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(0).value, Cell(30)) << answer.message;
  EXPECT_EQ(answer.evidence.at(1).value, Cell(90)) << "2 * (20 + 25): " << answer.message;
  EXPECT_NE(answer.message.find("by the ranges inside it"), std::string::npos) << answer.message;
}

TEST(AskAttention, projections_without_ranges_are_told_by_order) {
  const Finding answer = attention_of({{"", "sgemm_a", 70},
                                       {"", "sgemm_b", 20},
                                       {"", "softmax_warp_forward", 15},
                                       {"", "sgemm_c", 25},
                                       {"", "sgemm_d", 30}});
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(1).value, Cell(90)) << answer.message;
  EXPECT_NE(answer.message.find("the 4 others, 200 ns, are projections"), std::string::npos)
      << answer.message;
}

TEST(AskAttention, by_operators_leaves_out_a_slow_first_pass) {
  NsysFixture fixture;
  std::int64_t at = 0;
  for (int pass = 0; pass < 4; ++pass) {
    const std::int64_t begin = at;
    const std::int64_t slow = pass == 0 ? 10 : 1;
    for (const char* op : {"aten::bmm", "aten::_softmax", "aten::bmm"}) {
      fixture.range({.start = at, .end = at + 90 * slow, .name = op});
      fixture.launch({.call_start = at + 2,
                      .call_end = at + 3,
                      .start = at + 4,
                      .end = at + 4 + 20 * slow,
                      .name = "k"});
      at += 100 * slow;
    }
    fixture.range({.start = begin, .end = at, .name = "forward"});
    at += 10;
  }
  const Finding answer = attention_in(fixture);
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(0).value, Cell(60)) << "three passes of 20: " << answer.message;
}

TEST(AskAttention, by_operators_counts_no_backward_products) {
  NsysFixture fixture;
  const auto op = [&](std::int64_t at, const char* name, std::int64_t took) {
    fixture.range({.start = at, .end = at + 10, .name = name});
    fixture.launch({.call_start = at + 2,
                    .call_end = at + 3,
                    .start = at + 4,
                    .end = at + 4 + took,
                    .name = "k"});
  };
  op(0, "aten::bmm", 20);
  op(100, "aten::_softmax", 15);
  op(200, "aten::bmm", 20);
  fixture.range({.start = 290, .end = 320, .name = "BmmBackward0"});
  op(300, "aten::bmm", 99);
  const Finding answer = attention_in(fixture);
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(0).value, Cell(15));
  EXPECT_EQ(answer.evidence.at(1).value, Cell(40));
  EXPECT_NE(answer.message.find("by operators"), std::string::npos);
}

TEST(AskAttention, says_what_to_add_where_nothing_marks_attention) {
  NsysFixture fixture;
  fixture.launch({.call_start = 0, .call_end = 1, .start = 2, .end = 9, .name = "sgemm"});
  const Finding answer = attention_in(fixture);
  EXPECT_EQ(answer.kind, FindingKind::abstention);
  EXPECT_NE(answer.message.find("NVTX"), std::string::npos) << answer.message;
}

TEST(AskAttention, does_not_reach_over_a_fused_kernel_for_products) {
  NsysFixture fixture;
  std::int64_t at = 0;
  for (int step = 0; step < 4; ++step) {
    for (const char* name : {"triton_tem_fused_addmm_0", "triton_per_fused__softmax_1",
                             "flash_fwd_kernel", "triton_tem_fused_addmm_2"}) {
      fixture.launch(
          {.call_start = at, .call_end = at + 1, .start = at + 2, .end = at + 20, .name = name});
      at += 100;
    }
  }
  const Finding answer = attention_in(fixture);
  EXPECT_EQ(answer.kind, FindingKind::abstention) << answer.message;
  EXPECT_NE(answer.message.find("fused kernel"), std::string::npos) << answer.message;
}

/// Kernels on one stream, one after the other, `times` times over.
Finding attention_among(const std::vector<std::pair<const char*, std::int64_t>>& kernels,
                        int times) {
  NsysFixture fixture;
  std::int64_t at = 0;
  for (int i = 0; i < times; ++i) {
    for (const auto& [name, took] : kernels) {
      fixture.launch({.call_start = at,
                      .call_end = at + 1,
                      .start = at + 2,
                      .end = at + 2 + took,
                      .name = name});
      at += 1000;
    }
  }
  return attention_in(fixture);
}

TEST(AskAttention, takes_no_router_for_attention_where_that_is_fused) {
  const Finding answer = attention_among({{"sgemm_qkv", 50},
                                          {"flash_fwd_kernel", 80},
                                          {"sgemm_out", 20},
                                          {"sgemm_router", 5},
                                          {"softmax_warp_forward", 3},
                                          {"sgemm_expert", 90}},
                                         4);
  EXPECT_EQ(answer.kind, FindingKind::abstention) << answer.message;
  EXPECT_NE(answer.message.find("fused kernel"), std::string::npos) << answer.message;
}

TEST(AskAttention, takes_no_experts_for_attention_where_that_is_fused) {
  NsysFixture fixture;
  std::int64_t at = 0;
  for (int layer = 0; layer < 3; ++layer) {
    for (const auto& [op, kernel] :
         {std::pair{"FlashAttnFunc", "flash_fwd_kernel"},
          std::pair{"aten::softmax", "softmax_warp_forward"}, std::pair{"aten::bmm", "sgemm"}}) {
      fixture.range({.start = at, .end = at + 90, .name = op});
      fixture.launch({.call_start = at + 2,
                      .call_end = at + 3,
                      .start = at + 4,
                      .end = at + 24,
                      .name = kernel});
      at += 100;
    }
  }
  const Finding answer = attention_in(fixture);
  EXPECT_EQ(answer.kind, FindingKind::abstention) << answer.message;
  EXPECT_NE(answer.message.find("fused kernel (3 launches"), std::string::npos) << answer.message;
}

TEST(AskAttention, adds_the_reduction_of_a_split_product_to_the_product) {
  const Finding answer = attention_among({{"sgemm_qkv", 70},
                                          {"sgemm_qk", 20},
                                          {"void cublasLt::splitKreduce_kernel<32, 16>(int)", 2},
                                          {"softmax_warp_forward", 15},
                                          {"sgemm_av", 25},
                                          {"void cublasLt::splitKreduce_kernel<32, 16>(int)", 3},
                                          {"sgemm_out", 30}},
                                         4);
  EXPECT_EQ(answer.kind, FindingKind::answer) << answer.message;
  EXPECT_EQ(answer.evidence.at(1).value, Cell(200)) << "4 * (20 + 2 + 25 + 3): " << answer.message;
}

TEST(AskAttention, counts_no_product_twice) {
  const Finding answer =
      attention_among({{"sgemm", 20}, {"softmax_warp_forward", 10}, {"elementwise", 1}}, 5);
  EXPECT_EQ(answer.kind, FindingKind::abstention) << answer.message;
}

}  // namespace
}  // namespace assay::trace
