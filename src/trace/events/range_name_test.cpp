#include "trace/events/range_name.hpp"

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(RangeName, loses_what_numbers_its_instances) {
  EXPECT_EQ(canonical_range_name("aten::mm, op_id = 12"), "aten::mm");
  EXPECT_EQ(canonical_range_name("FlashAttnFunc, seq = 46588, op_id = 995009"), "FlashAttnFunc");
  EXPECT_EQ(canonical_range_name("aten::mm, seq = 1, op_id = 2, sizes = [[1], []]"), "aten::mm");
  EXPECT_EQ(canonical_range_name("ProfilerStep#12"), "ProfilerStep");
}

TEST(RangeName, of_the_author_is_kept) {
  EXPECT_EQ(canonical_range_name("Warm-up Step 3"), "Warm-up Step 3");
  EXPECT_EQ(canonical_range_name(""), "");
}

TEST(RangeName, tells_the_authors_from_a_frameworks) {
  EXPECT_FALSE(is_automatic_range("Forward", ""));
  EXPECT_FALSE(is_automatic_range("LLM@prefill", "LLM"));
  EXPECT_TRUE(is_automatic_range("aten::mm", ""));
  EXPECT_TRUE(is_automatic_range("MmBackward0, seq = 1", ""));
  EXPECT_TRUE(is_automatic_range("anything", "NCCL"));
}

TEST(RangeName, steps_of_a_loop_are_one_without_their_numbers) {
  EXPECT_EQ(numberless("Warm-up Step 13"), "Warm-up Step #");
  EXPECT_EQ(numberless("a1b22"), "a#b#");
}

TEST(RangeName, of_a_request_is_one_without_its_id) {
  EXPECT_EQ(numberless("forward 3f2a1b9c"), "forward #");
  EXPECT_EQ(numberless("req-123e4567-e89b-12d3-a456-426614174000/prefill"), "req-#/prefill");
  EXPECT_EQ(numberless("forward deadbeef"), "forward deadbeef") << "a word";
  EXPECT_EQ(numberless("fc12 conv2d layer10"), "fc# conv#d layer#") << "no ids";
  EXPECT_EQ(numberless("a3f2a1b9cx"), "a#f#a#b#cx") << "part of a word";
}

}  // namespace
}  // namespace assay::trace
