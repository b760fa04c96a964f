#include "model/request.hpp"

#include <gtest/gtest.h>

#include "model/kernel.hpp"

namespace assay {
namespace {

TEST(DisplayName, is_what_the_request_says_or_what_it_launches) {
  Request request{.candidate = {.source = "__global__ void scale(float* x) {}"}};
  EXPECT_EQ(display_name(request), "scale");
  request.candidate.metadata.kernel_name = "other";
  EXPECT_EQ(display_name(request), "other");
  request.name = "fast.cu";
  EXPECT_EQ(display_name(request), "fast.cu");
}

TEST(DisplayName, passes_over_launch_bounds) {
  const Request request{
      .candidate = {.source = "__global__ void\n__launch_bounds__(256, 2) tile (int n) {}"}};
  EXPECT_EQ(display_name(request), "tile");
}

TEST(DisplayName, is_empty_where_nothing_has_a_name) {
  for (const char* source : {"", "__global__", "__global__ void", "__global__ void __x__"}) {
    EXPECT_EQ(display_name({.candidate = {.source = source}}), "") << source;
  }
  EXPECT_EQ(display_name({.candidate = {.source = "class Model: pass", .type = KernelType::torch}}),
            "");
}

}  // namespace
}  // namespace assay
