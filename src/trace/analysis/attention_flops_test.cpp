#include "trace/analysis/attention_flops.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::trace {
namespace {

TEST(AttentionFlops, count_a_multiply_add_as_two) {
  const AttentionFlops flops =
      attention_flops({.batch = 4, .heads = 12, .queries = 512, .keys = 512, .head_dim = 64});
  EXPECT_EQ(flops.scores, 1'610'612'736U);
  EXPECT_EQ(flops.values, 1'610'612'736U);
  EXPECT_EQ(flops.softmax, 62'914'560U);
}

TEST(AttentionShape, is_read_from_its_parts) {
  const AttentionShape shape =
      parse_attention_shape("batch=4,heads=12,seq=512,head_dim=64").value();
  EXPECT_EQ(shape.keys, 512U);
  EXPECT_EQ(parse_attention_shape("batch=1,heads=2,queries=1,keys=900,head_dim=64").value().keys,
            900U);
}

TEST(AttentionShape, that_is_incomplete_or_absurd_is_refused) {
  for (const char* text : {"", "batch=4", "batch=0,heads=1,seq=1,head_dim=1", "depth=3",
                           "batch=x,heads=1,seq=1,head_dim=1", "batch=4,heads",
                           "batch=9999999,heads=9999999,seq=9999999,head_dim=64"}) {
    EXPECT_EQ(parse_attention_shape(text).error().code(), ErrorCode::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace assay::trace
