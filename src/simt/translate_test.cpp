#include "simt/translate.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::simt {
namespace {

std::string translated(std::string_view source, bool module = false) {
  TranslateOptions options;
  options.module = module;
  return translate(source, options).value().source;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Translate, keeps_every_line_on_its_number) {
  const std::string source =
      "__global__ void k() {\n  __shared__\n  float\n  a[4];\n}\nvoid f() { k<<<1,\n 2>>>(\n); }\n";
  const std::string result = translated(source);
  EXPECT_EQ(std::ranges::count(result, '\n'), std::ranges::count(source, '\n') + 1);
  EXPECT_TRUE(result.starts_with("#line 1 \"kernel.cu\"\n"));
}

TEST(Translate, turns_a_launch_into_a_call_with_its_configuration) {
  const std::string result =
      translated("void f() { ns::k<T, (a > b)><<<g, dim3(1, 2), 8>>>(x, NULL); }");
  EXPECT_TRUE(
      contains(result,
               "launcher(\"ns::k<T, (a > b)>\", __FILE__, __LINE__, [=](auto... assay_a) { "
               "ns::k<T, (a > b)>(assay_a...); }).configure(g, dim3(1, 2), 8)(x, nullptr);"))
      << result;
}

TEST(Translate, keeps_the_type_of_a_kernel_that_only_its_type_can_launch) {
  EXPECT_TRUE(
      contains(translated("void f() { cudaLaunchCooperativeKernel((void*)k<T>, g, b, a); }"),
               "cudaLaunchCooperativeKernel(k<T>, g, b, a)"));
  EXPECT_TRUE(contains(
      translated("void f() { cudaLaunchKernel(reinterpret_cast<const void*>(&k<T>), g, b, a); }"),
      "cudaLaunchKernel((&k<T>), g, b, a)"));
  const std::string registered =
      translated("__global__ void k() {}\nvoid f() { cudaLaunchKernel((void*)k, g, b, a); }");
  EXPECT_TRUE(contains(registered, "cudaLaunchKernel((void*)k, g, b, a)"));
}

TEST(Translate, leaves_shifts_and_nested_templates_alone) {
  const std::string source =
      "int a = 1 << 2; std::vector<std::vector<std::vector<int>>> v; b = c >> 3;";
  EXPECT_TRUE(contains(translated(source), source));
}

TEST(Translate, takes_a_launch_through_a_pointer_or_a_table) {
  EXPECT_TRUE(
      contains(translated("void f() { table[i]<<<1, 1>>>(); }"), "{ table[i](assay_a...); }"));
  EXPECT_TRUE(
      contains(translated("void f() { if (x) (*p)<<<1, 1>>>(); }"), "{ (*p)(assay_a...); }"));
  EXPECT_TRUE(contains(translated("void f() { if (x) y(); else k<<<1, 1>>>(); }"), "else ::assay"));
}

TEST(Translate, rewrites_launches_inside_macros) {
  EXPECT_TRUE(
      contains(translated("#define RUN(k) k<<<1, \\\n 32>>>(p)\n"), "configure(1, \\\n 32)(p)"));
}

TEST(Translate, binds_shared_variables_to_the_memory_of_the_block) {
  const std::string result =
      translated("__global__ void k() { static __shared__ float a[N][M + 1], b; }");
  EXPECT_TRUE(contains(result, "float a[N][M + 1], b; static void assay_fields")) << result;
  EXPECT_TRUE(contains(result, "auto& b = ::assay::simt::shared_variables<")) << result;
  EXPECT_FALSE(contains(result, "__shared__"));
}

TEST(Translate, finds_the_names_in_types_with_commas) {
  const std::string result = translated(
      "__global__ void k() { __shared__ alignas(16) typename X<float, 4>::Storage s; "
      "__shared__ struct { int q[2]; } t; }");
  EXPECT_TRUE(contains(result, "auto& s =")) << result;
  EXPECT_TRUE(contains(result, "auto& t =")) << result;
}

TEST(Translate, makes_dynamic_shared_memory_a_pointer) {
  const std::string result = translated(
      "__global__ void k() { extern __shared__ __align__(16) unsigned char raw[]; "
      "extern volatile __shared__ float m[][32]; }");
  EXPECT_TRUE(
      contains(result, "auto* const raw = ::assay::simt::dynamic_shared<unsigned char>(\"raw\");"))
      << result;
  EXPECT_TRUE(
      contains(result,
               "auto* const m = ::assay::simt::dynamic_shared<volatile float[ 32 ]>(\"m\");") ||
      contains(result,
               "auto* const m = ::assay::simt::dynamic_shared<volatile float [ 32 ]>(\"m\");"))
      << result;
}

TEST(Translate, declares_file_scope_shared_memory_where_it_is_used) {
  const std::string result = translated(
      "extern __shared__ float s[];\n__device__ float f(int i) { return s[i]; }\n"
      "__global__ void own(float* s) { s[0] = 1; }\n__global__ void none() {}\n");
  EXPECT_TRUE(contains(result, "f(int i) { auto* const s =")) << result;
  EXPECT_FALSE(contains(result, "own(float* s) { auto*")) << result;
  EXPECT_FALSE(contains(result, "none() { auto*")) << result;
}

TEST(Translate, registers_plain_kernels_after_their_body) {
  const std::string result = translated(
      "namespace n { __global__ void k() {} }\n"
      "template <class T> __global__ void t(T*) {}\n",
      true);
  EXPECT_TRUE(contains(result, "k() { ASSAY_SIMT_END(); } ASSAY_SIMT_KERNEL(\"n::k\", 1, k)"))
      << result;
  EXPECT_FALSE(contains(result, "\"t\"")) << result;
  EXPECT_TRUE(contains(result, "ASSAY_SIMT_MODULE()"));
}

TEST(Translate, offers_template_instances_by_name_expression) {
  TranslateOptions options;
  options.name_expressions = {"scale<float, 4>"};
  const auto result =
      translate("template <class T, int N> __global__ void scale(T*) {}", options).value();
  EXPECT_TRUE(
      contains(result.source, "ASSAY_SIMT_KERNEL(\"scale<float, 4>\", 0, scale<float, 4>)"));
  ASSERT_EQ(result.kernels.size(), 1U);
  EXPECT_EQ(result.kernels[0].name, "scale");
  EXPECT_TRUE(result.kernels[0].is_template);
}

TEST(Translate, refuses_a_name_expression_that_is_more_than_a_name) {
  TranslateOptions options;
  options.name_expressions = {"k<1>\n#include \"/etc/passwd\""};
  EXPECT_EQ(translate("", options).error().code(), ErrorCode::invalid_argument);
}

TEST(Translate, gives_inline_only_once_and_spares_compiler_attributes) {
  EXPECT_TRUE(contains(translated("static inline __device__ __forceinline__ int f() { return 1; }"),
                       "static  __device__ __forceinline__ int f()"));
  EXPECT_TRUE(
      contains(translated("__attribute__((__noinline__)) void f(); __noinline__ void g();"),
               "__attribute__((__noinline__)) void f(); __attribute__((noinline)) void g();"));
}

std::string translated_for_torch(std::string_view source) {
  TranslateOptions options;
  options.module = false;
  options.torch = true;
  return translate(source, options).value().source;
}

TEST(Translate, rewrites_launches_in_the_lambda_of_a_dispatch_macro) {
  const std::string result = translated_for_torch(
      "void f(at::Tensor x) {\n"
      "  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"f\", ([&] {\n"
      "    k<scalar_t, 4><<<dim3(1, 2), 32, 0, at::cuda::getCurrentCUDAStream()>>>(\n"
      "        x.data_ptr<scalar_t>(), x.packed_accessor32<scalar_t, 2>());\n"
      "  }));\n"
      "}\n");
  EXPECT_TRUE(
      contains(result,
               "{ k<scalar_t, 4>(assay_a...); }).configure(dim3(1, 2), 32, 0, "
               "at::cuda::getCurrentCUDAStream())(\n        x.data_ptr<scalar_t>(), x.packed_"))
      << result;
}

TEST(Translate, rewrites_a_launch_that_is_itself_an_argument_of_a_macro) {
  EXPECT_TRUE(
      contains(translated_for_torch("void f() { CHECKED(ns::k<float><<<g, b>>>(p, n)); }"),
               "CHECKED(::assay::simt::launcher(\"ns::k<float>\", __FILE__, __LINE__, "
               "[=](auto... assay_a) { ns::k<float>(assay_a...); }).configure(g, b)(p, n));"));
}

TEST(Translate, says_of_the_cpu_what_an_extension_of_torch_says_of_cuda) {
  const std::string source = "bool f(at::Tensor x) { return x.is_cuda(); }";
  EXPECT_TRUE(contains(translated_for_torch(source), "x.is_cpu()"));
  EXPECT_TRUE(contains(translated(source), "x.is_cuda()"));
}

}  // namespace
}  // namespace assay::simt
