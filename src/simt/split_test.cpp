#include "simt/split.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::simt {
namespace {

constexpr const char* kSource = R"(#include <torch/extension.h>
#include <cuda_fp16.h>
namespace {
__device__ __forceinline__ float twice(float x) { return 2 * x; }
template <typename T, int N = 4>
__global__ void scale(const T* __restrict__ in, T* out, const int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = twice(in[i]);
}
}  // namespace
torch::Tensor run(torch::Tensor x);
torch::Tensor run(torch::Tensor x) {
  auto out = torch::empty_like(x);
  scale<float><<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
)";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Split, device_side_keeps_kernels_and_their_helpers_alone) {
  const std::string device = split(kSource, "cuda.cu").value().device;
  EXPECT_TRUE(has(device, "if (i < n) out[i] = twice(in[i]);"));
  EXPECT_TRUE(has(device, "return 2 * x;"));
  EXPECT_TRUE(has(device, "#include <cuda_fp16.h>"));
  EXPECT_FALSE(has(device, "torch"));
  EXPECT_FALSE(has(device, "PYBIND11"));
}

TEST(Split, host_side_launches_by_the_kernels_own_address) {
  const std::string host = split(kSource, "cuda.cu").value().host;
  EXPECT_FALSE(has(host, "threadIdx"));
  EXPECT_FALSE(has(host, "return 2 * x;"));
  EXPECT_TRUE(has(host, "reinterpret_cast<const void*>(&scale<T, N>)"));
  EXPECT_TRUE(
      has(host, "address_of(in), ::assay::gpu::address_of(out), ::assay::gpu::address_of(n)"));
  EXPECT_TRUE(has(host, "scale<float>(assay_a...)"));
  EXPECT_TRUE(has(host, "PYBIND11_MODULE"));
}

TEST(Split, both_sides_keep_the_lines_and_name_anonymous_namespaces) {
  const auto both = split(kSource, "cuda.cu").value();
  const auto lines = std::ranges::count(std::string(kSource), '\n');
  for (const std::string& text : {both.host, both.device}) {
    EXPECT_EQ(std::ranges::count(text, '\n'), lines + 1);  // and the #line before them
    EXPECT_TRUE(has(text, "inline namespace assay_anonymous {"));
  }
  EXPECT_EQ(both.kernels, std::vector<std::string>{"scale"});
}

TEST(Split, each_branch_of_a_conditional_has_its_own_kernel_and_host_function) {
  const auto both = split(
                        "#ifdef OLD\n__global__ void z(int* y) { *y = 1; }\n"
                        "void run(int* y) { z<<<1, 1>>>(y); }\n"
                        "#else\n__global__ void f(int* y) { *y = 2; }\n"
                        "void run(int* y) { f<<<1, 1>>>(y); }\n#endif\n",
                        "cuda.cu")
                        .value();
  EXPECT_EQ(both.kernels, (std::vector<std::string>{"z", "f"}));
  EXPECT_EQ(both.device,
            "#line 1 \"cuda.cu\"\n#ifdef OLD\n__global__ void z(int* y) { *y = 1; }\n\n"
            "#else\n__global__ void f(int* y) { *y = 2; }\n\n#endif\n");
  EXPECT_TRUE(has(both.host, "reinterpret_cast<const void*>(&z)"));
  EXPECT_TRUE(has(both.host, "#else\n__global__ void f(int* y) { const void*"));
}

TEST(Split, a_heading_with_alternatives_needs_the_whole) {
  const auto both = split(
      "void\n#ifdef OLD\nrun(int)\n#else\nrun(long)\n#endif\n{}\n"
      "__global__ void k() {}\n",
      "cuda.cu");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(both.error().message(), "line 1: the heading that begins here has alternatives");
}

TEST(Split, types_of_torch_that_device_code_has_stay_on_both_sides) {
  const auto both = split(
                        "using Rows = torch::PackedTensorAccessor32<at::Half, 2>;\n"
                        "using Shape = torch::IntArrayRef;\n"
                        "using namespace at;\n"
                        "namespace F = torch::nn::functional;\n",
                        "cuda.cu")
                        .value();
  for (const std::string& text : {both.host, both.device}) {
    EXPECT_TRUE(has(text, "using Rows = torch::PackedTensorAccessor32<at::Half, 2>;"));
    EXPECT_TRUE(has(text, "using namespace at;"));
  }
  EXPECT_FALSE(has(both.device, "IntArrayRef"));
  EXPECT_FALSE(has(both.device, "functional"));
}

TEST(Split, host_side_sees_nothing_of_headers_for_device_code) {
  const auto both = split(
                        "#include <cooperative_groups.h>\n#include <mma.h>\n"
                        "namespace cg = cooperative_groups;\n"
                        "using Warp = cg::thread_block_tile<32>;\n"
                        "__device__ float total(Warp warp) { return 1; }\n"
                        "__device__ float one() { return 1; }\n",
                        "cuda.cu")
                        .value();
  EXPECT_FALSE(has(both.host, "#include"));
  EXPECT_FALSE(has(both.host, "Warp"));
  EXPECT_TRUE(has(both.host, "namespace cg = cooperative_groups;"));
  EXPECT_TRUE(has(both.host, "float one()"));
  for (const char* kept : {"#include <mma.h>", "using Warp", "total(Warp warp) { return 1; }"}) {
    EXPECT_TRUE(has(both.device, kept)) << kept;
  }
}

TEST(Split, what_only_nvcc_can_do_is_refused_with_the_reason) {
  const auto reason = [](const std::string& source) {
    const auto result = split(source, "cuda.cu");
    return result ? "" : result.error().message();
  };
  EXPECT_EQ(reason("__constant__ int c;\nvoid f() { cudaMemcpyToSymbol(c, 0, 4); }"),
            "line 2: cudaMemcpyToSymbol needs nvcc's registration");
  EXPECT_EQ(reason("#include <thrust/sort.h>\n"), "<thrust/sort.h> needs nvcc");
  EXPECT_EQ(reason("void f() { cub::DeviceReduce::Sum(0); }"),
            "line 1: cub::DeviceReduce needs nvcc");
  EXPECT_EQ(reason("__global__ void k(int) {}"),
            "line 1: the parameters of kernel 'k' cannot be read");
  EXPECT_EQ(reason("__global__ void k(int a) {}\n__global__ void k(float a) {}"),
            "line 1: there is more than one kernel 'k'");
  EXPECT_EQ(reason("int a;\nint f() {\n  if (a) {\n    return 1;\n"),
            "line 2: the function that begins here does not end");
  EXPECT_EQ(
      reason("int f(int a) {\n#if X\n  if (a) {\n#else\n  if (!a) {\n#endif\n  }\n  return a;\n}"),
      "");
}

}  // namespace
}  // namespace assay::simt
