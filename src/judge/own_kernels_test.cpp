#include "judge/own_kernels.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "model/kernel.hpp"
#include "model/timing_summary.hpp"

namespace assay::judge {
namespace {

constexpr std::string_view kGemm = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32";
constexpr std::string_view kElementwise =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)";

OwnKernels own(std::string_view source, KernelType type = KernelType::torch_cuda) {
  return OwnKernels(Kernel{.source = std::string(source), .type = type});
}

KernelOrigin origin(std::string_view source, std::string_view recorded) {
  return own(source).origin_of(recorded);
}

constexpr std::string_view kExtension = R"py(
CUDA = """
#include <torch/extension.h>
template <typename T>
__global__ void __launch_bounds__(256, 2) scale_kernel(const T* x, T* y, int n) {}
extern "C" __global__ void plain(float* y) {}
#define MAKE(name) __global__ void name##_kernel(float* y) {}
MAKE(relu)
torch::Tensor run(torch::Tensor x) {
  if (n < 4) relu_kernel<<<1, 2>>>(p);
  other::tiled<Tile<float, 4>, 8><<<grid, block>>>(p);
  return x;
}
"""
)py";

TEST(OwnKernels, are_those_that_the_source_defines_or_launches) {
  for (const auto* name : {"void scale_kernel<float>(float const*, float*, int)", "plain",
                           "relu_kernel(float*)", "void other::tiled<Tile<float, 4>, 8>(float*)",
                           "void (anonymous namespace)::scale_kernel<float>(float*, int)"}) {
    EXPECT_EQ(origin(kExtension, name), KernelOrigin::own) << name;
  }
  for (const auto name : {kGemm, kElementwise, std::string_view("other(float*)")}) {
    EXPECT_EQ(origin(kExtension, name), KernelOrigin::library) << name;
  }
  EXPECT_EQ(origin(kExtension, "[memset]"), KernelOrigin::transfer);
}

TEST(OwnKernels, of_triton_are_the_functions_that_it_compiles) {
  constexpr std::string_view kSource = R"py(
@triton.autotune(configs=[], key=["n"])
@triton.jit
def add_kernel(x, y, n):
    pass

def helper(x):
    return add_kernel[(1,)](x)
)py";
  EXPECT_EQ(origin(kSource, "add_kernel"), KernelOrigin::own);
  EXPECT_EQ(origin(kSource, "helper"), KernelOrigin::library);
  EXPECT_FALSE(own("def forward(x): return x @ x", KernelType::torch).any());
}

TEST(OwnKernels, of_a_raw_kernel_are_all) {
  EXPECT_EQ(own("", KernelType::cuda).origin_of("k(float*)"), KernelOrigin::own);
}

TEST(OwnKernels, names_of_libraries_stay_theirs_whatever_the_source_defines) {
  constexpr std::string_view kSame = "__global__ void vectorized_elementwise_kernel(float* x) {}";
  EXPECT_EQ(origin(kSame, kElementwise), KernelOrigin::library);
  EXPECT_EQ(origin(kSame, ""), KernelOrigin::library);
}

KernelTime recorded(double own_ns) {
  return {.busy_ns = 100,
          .kernels = {{.name = std::string(kGemm), .ns = 100 - own_ns, .share = 0.5},
                      {.name = "[copy on device]", .ns = 400, .share = 0.4},
                      {.name = "plain", .ns = own_ns, .share = 0.1}}};
}

TEST(WhatRan, marks_each_kernel_and_leaves_transfers_out_of_account) {
  auto time = recorded(25);
  const auto ran = tell_origins(own(kExtension), time);
  EXPECT_DOUBLE_EQ(ran.own, 0.25);
  EXPECT_DOUBLE_EQ(ran.library, 0.75);
  EXPECT_EQ(time.kernels[0].origin, KernelOrigin::library);
  EXPECT_EQ(time.kernels[1].origin, KernelOrigin::transfer);
  EXPECT_EQ(time.kernels[2].origin, KernelOrigin::own);
  EXPECT_FALSE(lacks_own_work(ran));
  EXPECT_FALSE(decoy_complaint(own(kExtension), ran));
}

TEST(WhatRan, a_decoy_is_told_with_the_library_that_did_the_work) {
  auto time = recorded(0.5);
  const auto kernels = own(kExtension);
  const auto ran = tell_origins(kernels, time);
  const auto told = decoy_complaint(kernels, ran);
  ASSERT_TRUE(told);
  EXPECT_NE(told->find(kGemm), std::string::npos) << *told;
  EXPECT_NE(told->find("0.5 %"), std::string::npos) << *told;
}

TEST(WhatRan, a_source_without_kernels_is_no_decoy_but_has_no_work_of_its_own) {
  auto time = recorded(0);
  const auto kernels = own("def forward(x): return x @ x", KernelType::torch);
  const auto ran = tell_origins(kernels, time);
  EXPECT_FALSE(decoy_complaint(kernels, ran));
  EXPECT_TRUE(lacks_own_work(ran));
  KernelTime nothing{.busy_ns = 1, .kernels = {{.name = "[memset]", .ns = 1, .share = 1}}};
  EXPECT_EQ(lacks_own_work(tell_origins(kernels, nothing)), "No kernel of the candidate's own ran");
}

}  // namespace
}  // namespace assay::judge
