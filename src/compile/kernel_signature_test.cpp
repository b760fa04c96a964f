#include "compile/kernel_signature.hpp"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/dtype.hpp"

namespace assay::compile {
namespace {

using ::testing::HasSubstr;

TEST(KernelSignature, has_names_types_and_what_is_written) {
  const auto signature = kernel_signature(
      "__global__ void __launch_bounds__(256) scale(const float* __restrict__ x, half *y,\n"
      "    unsigned long long n, float a = 2.0f, int) {}",
      std::nullopt);
  ASSERT_TRUE(signature);
  EXPECT_EQ(signature->name, "scale");
  const auto& [x, y, n, a, unnamed] = std::tie(
      signature->parameters.at(0), signature->parameters.at(1), signature->parameters.at(2),
      signature->parameters.at(3), signature->parameters.at(4));
  EXPECT_TRUE(x.name == "x" && x.is_pointer && x.is_const && x.dtype == DType::float32);
  EXPECT_TRUE(y.name == "y" && y.is_pointer && !y.is_const && y.dtype == DType::float16);
  EXPECT_TRUE(n.name == "n" && !n.is_pointer && n.dtype == DType::uint64);
  EXPECT_TRUE(a.name == "a" && a.dtype == DType::float32);
  EXPECT_TRUE(unnamed.name.empty() && unnamed.dtype == DType::int32);
}

TEST(KernelSignature, of_unknown_types_has_no_dtype) {
  const auto signature =
      kernel_signature("struct P {}; __global__ void f(P p, int32_t k) {}", std::nullopt);
  EXPECT_EQ(signature->parameters.at(0).dtype, std::nullopt);
  EXPECT_EQ(signature->parameters.at(0).name, "p");
  EXPECT_EQ(signature->parameters.at(1).dtype, DType::int32);
  EXPECT_TRUE(kernel_signature("__global__ void f() {}", std::nullopt)->parameters.empty());
}

TEST(KernelSignature, asks_which_of_several_kernels_is_meant) {
  const char* two = "__global__ void f(int a) {} namespace n { __global__ void g(int b) {} }";
  EXPECT_THAT(kernel_signature(two, std::nullopt).error().message(),
              HasSubstr("several kernels (f, n::g)"));
  EXPECT_EQ(kernel_signature(two, "g")->parameters.at(0).name, "b");
  EXPECT_THAT(kernel_signature(two, "h").error().message(), HasSubstr("there is: f, n::g"));
  EXPECT_EQ(kernel_signature("int x;", std::nullopt).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::compile
