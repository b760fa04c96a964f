#include "compile/cuda_extension_builder.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/testkit/checkout.hpp"
#include "compile/backend.hpp"
#include "compile/compiler.hpp"
#include "compile/cuda_backend.hpp"
#include "compile/cuda_toolkit.hpp"
#include "compile/extension_builder.hpp"
#include "compile/extension_container.hpp"
#include "compile/testkit/cuda_headers.hpp"
#include "compile/testkit/fake_compiler.hpp"
#include "compile/work_area.hpp"
#include "model/extension.hpp"
#include "model/verdict.hpp"
#include "python/interpreter.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

struct Idiom {
  const char* name;
  const char* source;  // of `torch::Tensor run(torch::Tensor x)` and what it launches
};

/// Builds with this host's torch and NVIDIA's compilers, for a GPU that need not be there.
class CudaExtensionBuilderTest : public testing::Test {
 protected:
  void prepare(bool with_nvcc) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "NVRTC would run inside this program, and is not made for its sanitizer";
#endif
    auto python = python::find_interpreter({}, jails_for_tests(), clock_);
    if (!python || python->torch.empty()) GTEST_SKIP() << "needs a Python with torch";
    auto toolkit = find_cuda_toolkit({python->program.parent_path().parent_path()});
    if (!toolkit) GTEST_SKIP() << toolkit.error().message();
    if (const auto missing = missing_package(*toolkit)) GTEST_SKIP() << *missing;
    if (with_nvcc && !toolkit->nvcc) GTEST_SKIP() << "needs nvcc";
    if (!with_nvcc) toolkit->nvcc.reset();
    const fs::path folder = testkit::build_dir() / "compile-tests";
    fs::create_directories(folder);
    work_ = std::make_unique<WorkArea>(WorkArea::open(folder / "extension-work").value());
    builder_ = std::make_unique<CudaExtensionBuilder>(
        find_compiler({}, jails_for_tests(), clock_).value(), *python,
        CudaBackendSettings{.toolkit = std::move(*toolkit),
                            .device = {9, 0},
                            .executable = fs::read_symlink("/proc/self/exe")},
        testkit::kept_toolchains(), *work_, jails_for_tests(), clock_);
    const auto ready = builder_->wait_ready(Deadline(clock_, std::chrono::minutes(5)), {});
    ASSERT_TRUE(ready) << ready.error().message();
  }

  /// Of load_inline with the source of `torch::Tensor run(torch::Tensor x)`.
  std::variant<BuiltExtension, Compilation> build(const std::string& source) {
    const ExtensionCall call{
        .key = std::string(64, 'a'),
        .name = "idiom",
        .sources = {{"main.cpp",
                     "torch::Tensor run(torch::Tensor x);\n"
                     "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", run, \"\"); }\n",
                     false},
                    {"cuda.cu",
                     "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"
                     "#line 1\n#include <torch/extension.h>\n" +
                         source,
                     true}},
        .cflags = {},
        .cuda_cflags = {}};
    directory_.emplace(work_->make_directory("idiom-").value());
    auto built = builder_->build(call, directory_->path() / "build",
                                 Deadline(clock_, std::chrono::minutes(5)), {});
    EXPECT_TRUE(built) << built.error().message();
    return built ? std::move(*built) : Compilation{};
  }

  SystemClock clock_;
  std::unique_ptr<WorkArea> work_;
  std::optional<TempDir> directory_;
  std::unique_ptr<CudaExtensionBuilder> builder_;
};

std::string log_of(const std::variant<BuiltExtension, Compilation>& built) {
  if (const auto* extension = std::get_if<BuiltExtension>(&built)) return extension->log;
  return reason_of(std::get<Verdict>(std::get<Compilation>(built).record));
}

std::vector<std::string> roles_of(const std::variant<BuiltExtension, Compilation>& built) {
  std::vector<std::string> roles;
  if (const auto* extension = std::get_if<BuiltExtension>(&built)) {
    for (const ExtensionFile& file : extension->files) roles.push_back(file.role);
  }
  return roles;
}

class SplitExtensionTest : public CudaExtensionBuilderTest,
                           public testing::WithParamInterface<Idiom> {
 protected:
  /// What cannot be built in two parts cannot be built.
  void SetUp() override { prepare(false); }
};

TEST_P(SplitExtensionTest, is_built_in_two_parts) {
  const auto built = build(GetParam().source);
  EXPECT_THAT(roles_of(built), testing::ElementsAre("library", "image", "names")) << log_of(built);
}

constexpr Idiom kIdioms[] = {
    {"plain", R"(
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  twice<<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
})"},
    {"accessors", R"(
using Matrix = torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits>;
__device__ float at_place(const Matrix& m, int i, int j) { return m[i][j]; }
template <typename T>
__global__ void rows(const Matrix x, torch::PackedTensorAccessor64<T, 1> y) {
  for (int j = 0; j < x.size(1); ++j) y[threadIdx.x] += at_place(x, threadIdx.x, j);
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::zeros({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rows", [&] {
    rows<scalar_t><<<1, x.size(0)>>>(x.packed_accessor32<float, 2, torch::RestrictPtrTraits>(),
                                     y.packed_accessor64<scalar_t, 1>());
  });
  return y;
})"},
    {"cooperative_groups", R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
using Warp = cg::thread_block_tile<32>;
__device__ float total(Warp warp, float x) { return cg::reduce(warp, x, cg::plus<float>()); }
__global__ void sum(const float* x, float* y) {
  Warp warp = cg::tiled_partition<32>(cg::this_thread_block());
  y[0] = total(warp, x[warp.thread_rank()]);
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty({1}, x.options());
  sum<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
})"},
    {"tensor_cores", R"(
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void product(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty({16, 16}, x.options().dtype(torch::kFloat32));
  auto* a = reinterpret_cast<const half*>(x.data_ptr<at::Half>());
  product<<<1, 32>>>(a, a, y.data_ptr<float>());
  return y;
})"},
    {"block_reduce", R"(
#include <cub/cub.cuh>
template <int THREADS>
__global__ void sum(const float* x, float* y) {
  using Reduce = cub::BlockReduce<float, THREADS>;
  __shared__ typename Reduce::TempStorage storage;
  const float total = Reduce(storage).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) y[0] = total;
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty({1}, x.options());
  sum<128><<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
})"},
    {"asynchronous_copies", R"(
#include <cuda/pipeline>
#include <cuda/std/array>
__global__ void copy(const float4* x, float4* y) {
  __shared__ float4 kept[32];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&kept[threadIdx.x], &x[threadIdx.x], sizeof(float4), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  y[threadIdx.x] = kept[threadIdx.x];
  pipe.consumer_release();
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  copy<<<1, 32>>>(reinterpret_cast<const float4*>(x.data_ptr<float>()),
                  reinterpret_cast<float4*>(y.data_ptr<float>()));
  return y;
})"},
    {"attributes_and_aliases", R"(
using half_t = at::Half;
constexpr int kThreads = 128;
template <typename T>
__device__ __forceinline__ T negative(T x) { return -x; }
template <typename T>
__global__ void __launch_bounds__(kThreads, 2) apply(const T* __restrict__ x, T* y, const __grid_constant__ int n) {
  extern __shared__ unsigned char bytes[];
  T* kept = reinterpret_cast<T*>(bytes);
  kept[threadIdx.x] = negative(x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < n) y[threadIdx.x] = kept[threadIdx.x];
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int bytes = 70000;
  cudaFuncSetAttribute(apply<half_t>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  apply<half_t><<<1, kThreads, bytes>>>(x.data_ptr<half_t>(), y.data_ptr<half_t>(), 3);
  return y;
})"},
};

INSTANTIATE_TEST_SUITE_P(Idioms, SplitExtensionTest, testing::ValuesIn(kIdioms),
                         [](const auto& idiom) { return std::string(idiom.param.name); });

class WholeExtensionTest : public CudaExtensionBuilderTest {
 protected:
  void SetUp() override { prepare(true); }
};

TEST_F(WholeExtensionTest, what_cannot_be_taken_apart_goes_to_nvcc_and_the_log_says_why) {
  const auto built = build(R"(
__constant__ float factor;
__global__ void scale(const float* x, float* y) { y[threadIdx.x] = factor * x[threadIdx.x]; }
torch::Tensor run(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must be on a GPU");
  auto y = torch::empty_like(x);
  const float two = 2;
  cudaMemcpyToSymbol(factor, &two, sizeof(two));
  scale<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
})");
  EXPECT_THAT(roles_of(built), testing::ElementsAre("library"));
  EXPECT_THAT(log_of(built), testing::HasSubstr("nvcc as a whole: "));
  EXPECT_THAT(log_of(built), testing::HasSubstr("cudaMemcpyToSymbol"));
}

TEST_F(WholeExtensionTest, mistakes_are_told_in_the_words_of_nvcc) {
  const std::string kernel =
      "__global__ void twice(float* x, int factor) { x[threadIdx.x] *= factor; }\n"
      "torch::Tensor run(torch::Tensor x) {\n"
      "  twice<<<1, 32>>>(x.data_ptr<float>(), 2);\n"
      "  return torch::empty_like(x);\n"
      "}\n";
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = kernel;
    return changed.replace(changed.find(from), from.size(), to);
  };
  EXPECT_THAT(log_of(build(with("*= factor", "*= faktor"))),
              testing::HasSubstr("cuda.cu(2): error: identifier \"faktor\" is undefined"));
  EXPECT_THAT(
      log_of(build(with("empty_like", "empty_liek"))),
      testing::HasSubstr("cuda.cu(5): error: namespace \"torch\" has no member \"empty_liek\""));
  EXPECT_THAT(log_of(build(with(";\n}", ";\n"))),
              testing::HasSubstr("At end of source: error: expected a \"}\""));
}

}  // namespace
}  // namespace assay::compile
