#include "device/activity_buffers.hpp"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace assay::device {
namespace {

TEST(ActivityBuffers, what_is_filled_comes_out_at_the_end) {
  ActivityBuffers buffers;
  buffers.begin(4);
  std::uint8_t* const first = buffers.lend();
  std::uint8_t* const second = buffers.lend();
  first[0] = 17;
  first[ActivityBuffers::kSize - 1] = 18;
  buffers.take_back(first, 1);
  buffers.take_back(second, 0);
  const auto contents = buffers.end();
  ASSERT_EQ(contents.filled.size(), 2U);
  ASSERT_EQ(contents.filled[0].records().size(), 1U);
  EXPECT_EQ(contents.filled[0].records()[0], 17);
  EXPECT_TRUE(contents.filled[1].records().empty());
  EXPECT_EQ(contents.refused, 0U);
  EXPECT_EQ(contents.not_returned, 0U);
}

TEST(ActivityBuffers, requests_beyond_the_limit_are_refused_and_counted) {
  ActivityBuffers buffers;
  buffers.begin(1);
  EXPECT_NE(buffers.lend(), nullptr);
  EXPECT_EQ(buffers.lend(), nullptr);
  EXPECT_EQ(buffers.lend(), nullptr);
  EXPECT_EQ(buffers.end().refused, 2U);
}

TEST(ActivityBuffers, nothing_is_lent_outside_a_trace) {
  ActivityBuffers buffers;
  EXPECT_EQ(buffers.lend(), nullptr);
}

TEST(ActivityBuffers, a_buffer_that_comes_back_late_is_no_part_of_the_next_trace) {
  ActivityBuffers buffers;
  buffers.begin(4);
  std::uint8_t* const kept = buffers.lend();
  EXPECT_EQ(buffers.end().not_returned, 1U);
  buffers.begin(4);
  buffers.take_back(kept, 100);
  const auto contents = buffers.end();
  EXPECT_TRUE(contents.filled.empty());
  EXPECT_EQ(contents.not_returned, 0U);
}

TEST(ActivityBuffers, a_buffer_of_somebody_else_is_ignored) {
  ActivityBuffers buffers;
  buffers.begin(4);
  std::vector<std::uint8_t> foreign(16);
  buffers.take_back(foreign.data(), foreign.size());
  EXPECT_TRUE(buffers.end().filled.empty());
}

TEST(ActivityBuffers, threads_may_ask_at_once) {
  ActivityBuffers buffers;
  buffers.begin(1'000);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 25; ++n) buffers.take_back(buffers.lend(), 8);
      });
    }
  }
  EXPECT_EQ(buffers.end().filled.size(), 100U);
}

}  // namespace
}  // namespace assay::device
