#include "trace/model_flops.hpp"

#include <string_view>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kLlama3 =
    "layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=128256";

double total(std::string_view shape, const StageShape& stage) {
  return count_flops(parse_model_shape(shape).value(), stage).total;
}

TEST(MatmulFlop, of_attention_scores_is_right) {
  // The figure that two published answers got wrong.
  EXPECT_EQ(matmul_flop(4, 12, 512, 512, 64), 1'610'612'736U);
}

TEST(ModelFlops, per_token_are_twice_the_weights_plus_attention) {
  // Llama 3 8B: 8.03e9 parameters, of which 0.525e9 are the input embedding, which is a lookup.
  const double flop = total(kLlama3, {.kind = StageKind::forward, .tokens = 1});
  const double attention = 4.0 * 32 * 4096;
  EXPECT_NEAR((flop - attention) / 2, 8.03e9 - 0.5253e9, 0.002e9);
}

TEST(ModelFlops, of_dense_attention_and_gelu_are_the_textbook_terms) {
  const StageFlops flops =
      count_flops(parse_model_shape("layers=1,hidden=8,heads=2,ffn=32,ffn_kind=gelu").value(),
                  {.kind = StageKind::prefill, .tokens = 3});
  ASSERT_EQ(flops.terms.size(), 3U);
  EXPECT_EQ(flops.terms[0].flop, 8.0 * 8 * 8 * 3);        // 8 d^2 a token
  EXPECT_EQ(flops.terms[1].flop, 4.0 * 8 * (1 + 2 + 3));  // 4 d c a token, c its context
  EXPECT_EQ(flops.terms[2].flop, 4.0 * 8 * 32 * 3);       // 4 d f a token
  EXPECT_EQ(flops.total, 1536 + 192 + 3072);
  EXPECT_EQ(flops.terms[1].formula, "4*L*H*hd * sequences*(S(S+1)/2)");
  EXPECT_EQ(flops.terms[1].numbers, "4*1*2*4 * 6");
}

TEST(ModelFlops, of_decode_grow_with_the_context) {
  const std::string_view shape = "layers=1,hidden=8,heads=2,ffn=32";
  double one_by_one = 0;
  for (int i = 0; i < 5; ++i) {
    one_by_one += total(shape, {.kind = StageKind::decode, .tokens = 100.0 + i, .new_tokens = 1});
  }
  EXPECT_EQ(total(shape, {.kind = StageKind::decode, .tokens = 100, .new_tokens = 5}), one_by_one);
}

TEST(ModelFlops, of_prefill_and_decode_join_up) {
  // The same tokens, in one pass or generated: the matrix products are the same.
  const std::string_view shape = "layers=2,hidden=16,heads=4,kv_heads=2,ffn=64";
  const double whole = total(shape, {.kind = StageKind::prefill, .tokens = 12});
  const double parts = total(shape, {.kind = StageKind::prefill, .tokens = 7}) +
                       total(shape, {.kind = StageKind::decode, .tokens = 7, .new_tokens = 5});
  EXPECT_EQ(whole, parts);
}

TEST(ModelFlops, of_training_are_three_forwards_and_scale_with_batch_and_repeats) {
  const double forward = total(kLlama3, {.kind = StageKind::forward, .batch = 2, .tokens = 64});
  EXPECT_EQ(total(kLlama3, {.kind = StageKind::training, .batch = 2, .tokens = 64}), 3 * forward);
  EXPECT_EQ(total(kLlama3, {.kind = StageKind::forward, .batch = 1, .tokens = 64, .repeats = 2}),
            forward);
}

TEST(ModelFlops, count_masked_scores_only_if_told) {
  const std::string_view shape = "layers=1,hidden=8,heads=2,ffn=32";
  const StageShape full{
      .kind = StageKind::prefill, .tokens = 10, .attention = AttentionCount::full};
  EXPECT_EQ(total(shape, full) - total(shape, {.kind = StageKind::prefill, .tokens = 10}),
            4.0 * 8 * (100 - 55));
}

TEST(ModelFlops, of_experts_count_the_active_ones) {
  const StageFlops flops =
      count_flops(parse_model_shape("layers=4,hidden=8,heads=2,ffn=16,experts=8,active_experts=2,"
                                    "shared_experts=1,dense_layers=1,dense_ffn=64")
                      .value(),
                  {.kind = StageKind::forward, .tokens = 1});
  ASSERT_EQ(flops.terms.size(), 5U);
  EXPECT_EQ(flops.terms[2].flop, 6.0 * 1 * 8 * 64);
  EXPECT_EQ(flops.terms[3].name, "active experts");
  EXPECT_EQ(flops.terms[3].flop, 6.0 * 3 * 8 * 16 * 3);
  EXPECT_EQ(flops.terms[4].flop, 2.0 * 3 * 8 * 8);
}

TEST(ModelFlops, of_prefill_project_the_last_token_alone) {
  const std::string_view shape = "layers=1,hidden=8,heads=2,ffn=32,vocab=1000";
  const double all = total(shape, {.kind = StageKind::forward, .tokens = 10});
  const double last = total(shape, {.kind = StageKind::prefill, .tokens = 10});
  EXPECT_EQ(all - last, 2.0 * 8 * 1000 * 9);
}

TEST(ModelShape, refuses_what_it_cannot_mean) {
  for (const std::string_view text :
       {"", "layers=1", "layers=x,hidden=8,heads=2,ffn=32", "layers=1,hidden=8,heads=2,ffn=32,no=1",
        "layers=1,hidden=8,heads=3,kv_heads=2,ffn=32", "layers=1,hidden=8,heads=2,ffn=32,experts=8",
        "layers=1,hidden=8,heads=2,ffn=32,experts=2,active_experts=3",
        "layers=1,hidden=8,heads=2,ffn=32,dense_layers=2", "layers",
        "layers=1,hidden=8,heads=2,ffn=32,ffn_kind=relu"}) {
    const auto shape = parse_model_shape(text);
    ASSERT_FALSE(shape) << text;
    EXPECT_EQ(shape.error().code(), ErrorCode::invalid_argument) << text;
  }
}

TEST(StageKind, is_parsed_by_name) {
  EXPECT_EQ(parse_stage_kind("decode").value(), StageKind::decode);
  EXPECT_EQ(parse_stage_kind("sleep").error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::trace
