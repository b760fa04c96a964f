#include "cli/source_type.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::cli {
namespace {

TEST(SourceType, follows_the_ending_and_then_the_content) {
  EXPECT_EQ(source_type("a.cu", "").value(), "cuda");
  EXPECT_EQ(source_type("a.py", "import torch\n").value(), "torch");
  EXPECT_EQ(source_type("a.py", "from torch.utils.cpp_extension import load_inline").value(),
            "torch_cuda");
  EXPECT_EQ(source_type("a.py", "import triton\n@triton.jit\ndef f(): pass").value(), "triton");
}

TEST(SourceType, of_standard_input_is_told_by_its_content) {
  EXPECT_EQ(source_type("-", "__global__ void f() {}").value(), "cuda");
  EXPECT_EQ(source_type("-", "import torch\nsource = '__global__'\nload_inline()").value(),
            "torch_cuda");
  EXPECT_EQ(source_type("-", "x = 1\ndef f(a):\n  return a").value(), "torch");
  EXPECT_EQ(source_type("-", "hello").error().code(), ErrorCode::invalid_argument);
}

TEST(LooksLikeJson, is_true_of_objects_alone) {
  EXPECT_TRUE(looks_like_json("\n {\"kernel\": 1}"));
  EXPECT_FALSE(looks_like_json("__global__ void f() {}"));
  EXPECT_FALSE(looks_like_json(""));
}

}  // namespace
}  // namespace assay::cli
