#include "compile/kernel_signature.hpp"

#include <optional>
#include <string>
#include <vector>

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

TEST(KernelSignature, of_a_template_is_that_of_an_instance) {
  const char* source =
      "template <typename T, int N = 4> __global__ void tk(const T* x, T* y, float a) {}";
  EXPECT_THAT(kernel_signature(source, std::nullopt).error().message(),
              HasSubstr("tk is a template: name an instance, --kernel-name 'tk<float, 16>'"));
  EXPECT_THAT(kernel_signature(source, "tk").error().message(), HasSubstr("is a template"));
  const auto signature = kernel_signature(source, "tk<unsigned char, 8>");
  ASSERT_TRUE(signature) << signature.error().message();
  EXPECT_EQ(signature->name, "tk<unsigned char, 8>");
  EXPECT_EQ(signature->parameters.at(0).dtype, DType::uint8);
  EXPECT_TRUE(signature->parameters.at(0).is_const);
  EXPECT_EQ(signature->parameters.at(1).name, "y");
  EXPECT_EQ(signature->parameters.at(2).dtype, DType::float32);
}

TEST(KernelNames, are_those_that_can_be_launched) {
  EXPECT_EQ(kernel_names("__global__ void f(int a) {} __global__ void f(float a) {}\n#if 0\n"
                         "__global__ void g(int b) {}\n#endif\n__global__ void h() {}"),
            (std::vector<std::string>{"f", "h"}));
  EXPECT_TRUE(kernel_names("int x;").empty());
}

}  // namespace
}  // namespace assay::compile
