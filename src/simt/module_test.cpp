// Kernels compiled, loaded and launched exactly as the native runner does it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/simt_abi.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "simt/testing/loaded_module.hpp"
#include "simt/toolchain.hpp"

namespace assay::simt {
namespace {

using testing::launch;

constexpr std::string_view kSource = R"cuda(
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

extern "C" __global__ void add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

namespace shapes {
__global__ void coordinates(unsigned* out) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned volume = blockDim.x * blockDim.y * blockDim.z;
  out[block * volume + thread] =
      threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
}
}

template <typename T, int N>
__global__ void scale(T* x, T factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= factor * T(N);
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

__global__ void warp_sum(const int* in, int* out) {
  int value = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}

// Names that C++20's headers have and CUDA authors define themselves.
__host__ __device__ inline float lerp(float a, float b, float t) { return a + t * (b - a); }
__host__ __device__ inline float clamp(float x, float low, float high) { return fmaxf(low, fminf(x, high)); }
__global__ void helpers(float* out) { *out = lerp(1.0f, 3.0f, clamp(2.0f, 0.0f, 0.5f)); }

__global__ void count_under_a_lock(int* lock, volatile int* data) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) != 0) continue;
    data[0] = data[0] + 1;
    __threadfence();
    atomicExch(lock, 0);
    done = true;
  }
}

__global__ void warp_sum_without_barriers(const int* in, int* out) {
  __shared__ int shared[64];
  const int t = threadIdx.x;
  shared[t] = in[t];
  __syncthreads();
  if (t < 32) {
    volatile int* s = shared;
    s[t] += s[t + 32];
    s[t] = s[t] + s[t + 16];
    s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1];
  }
  if (t == 0) *out = shared[0];
}

__global__ void reverse(int* data, int n) {
  extern __shared__ int buffer[];
  buffer[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = buffer[n - 1 - threadIdx.x];
}

struct Pair { int a; double b; };
__global__ void scalars(double* out, bool flag, signed char c, unsigned short s, int i, unsigned u, long long l,
                        unsigned long long ul, float f, double d, __half h, __nv_bfloat16 bf, Pair p) {
  double v[] = {double(flag), double(c), double(s), double(i), double(u), double(l), double(ul), double(f), d,
                double(__half2float(h)), double(__bfloat162float(bf)), double(p.a), p.b};
  for (int k = 0; k < 13; ++k) out[k] = v[k];
}

__global__ void lonely_barrier() {
  if (threadIdx.x < 32) __syncwarp(0xffffffffu);
  if (threadIdx.x == 3) __shfl_sync(0x0000ffffu, 1, 0);
  __syncthreads();
}
__global__ void far_before(int* p) {
  if (threadIdx.x == 3) p[-2048] = 0;  // @far
}
__global__ void wild(int* p) { p[(1LL << 44) + threadIdx.x] = 1; }
__global__ void deep() { volatile char big[4 << 20]; for (int i = 0; i < (4 << 20); i += 512) big[(4 << 20) - 1 - i] = 1; }
__global__ void trapped() { if (threadIdx.x == 5) __trap(); }
__global__ void asserted(int n) { assert(n > 3); }
)cuda";

std::uint32_t line_marked(std::string_view name) {
  const std::size_t at = kSource.find("// @" + std::string(name) + "\n");
  return static_cast<std::uint32_t>(std::ranges::count(kSource.substr(0, at), '\n')) + 1;
}

class Module : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto built = testing::build_and_load(kSource, {.name_expressions = {"scale<double, 3>"}},
                                         Variant::plain);
    ASSERT_TRUE(built) << built.error().message();
    built_.emplace(*std::move(built));
  }
  static void TearDownTestSuite() { built_.reset(); }

  static const assay_simt_kernel& kernel(std::string_view name) {
    const auto* found = built_->module.find(name);
    if (found == nullptr) throw std::out_of_range("no kernel " + std::string(name));
    return *found;
  }

  static inline std::optional<testing::BuiltModule> built_;
};

TEST_F(Module, describes_parameters_as_the_kernel_declares_them) {
  const auto& add = kernel("add");
  ASSERT_EQ(add.param_count, 4U);
  EXPECT_EQ(add.params[0].kind, ASSAY_SIMT_POINTER);
  EXPECT_EQ(add.params[0].pointee_kind, ASSAY_SIMT_FLOAT);
  EXPECT_EQ(add.params[0].pointee_size, 4U);
  EXPECT_EQ(add.params[0].pointee_const, 1U);
  EXPECT_EQ(add.params[2].pointee_const, 0U);
  EXPECT_EQ(add.params[3].kind, ASSAY_SIMT_SIGNED);

  const auto& scalars = kernel("scalars");
  constexpr std::uint32_t kKinds[] = {ASSAY_SIMT_POINTER,  ASSAY_SIMT_BOOL,     ASSAY_SIMT_SIGNED,
                                      ASSAY_SIMT_UNSIGNED, ASSAY_SIMT_SIGNED,   ASSAY_SIMT_UNSIGNED,
                                      ASSAY_SIMT_SIGNED,   ASSAY_SIMT_UNSIGNED, ASSAY_SIMT_FLOAT,
                                      ASSAY_SIMT_FLOAT,    ASSAY_SIMT_HALF,     ASSAY_SIMT_BFLOAT16,
                                      ASSAY_SIMT_STRUCT};
  constexpr std::uint32_t kSizes[] = {8, 1, 1, 2, 4, 4, 8, 8, 4, 8, 2, 2, 16};
  ASSERT_EQ(scalars.param_count, 13U);
  for (std::size_t i = 0; i < 13; ++i) {
    EXPECT_EQ(scalars.params[i].kind, kKinds[i]) << i;
    EXPECT_EQ(scalars.params[i].size, kSizes[i]) << i;
  }
}

TEST_F(Module, runs_an_element_wise_kernel_over_every_element) {
  const int n = 100'003;
  std::vector<float> a(n);
  std::vector<float> b(n, 0.5F);
  std::vector<float> out(n, -1.0F);
  std::iota(a.begin(), a.end(), 0.0F);
  const auto report = launch(kernel("add"), {(n + 255) / 256, 1, 1}, {256, 1, 1}, 0, {},
                             static_cast<const float*>(a.data()),
                             static_cast<const float*>(b.data()), out.data(), n);
  ASSERT_EQ(report.status, 0);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(i) + 0.5F);
}

TEST_F(Module, gives_every_thread_its_place_in_three_dimensions) {
  constexpr unsigned kBlocks = 12;
  constexpr unsigned kThreads = 24;
  std::vector<unsigned> out(std::size_t{kBlocks} * kThreads);
  ASSERT_EQ(launch(kernel("shapes::coordinates"), {2, 3, 2}, {4, 3, 2}, 0, {}, out.data()).status,
            0);
  for (unsigned i = 0; i < out.size(); ++i) {
    const unsigned thread = i % kThreads;
    const unsigned block = i / kThreads;
    ASSERT_EQ(out[i] % 1000, thread % 4 + 10 * (thread / 4 % 3) + 100 * (thread / 12)) << i;
    ASSERT_EQ(out[i] / 1000, block % 2 + 10 * (block / 2 % 3) + 100 * (block / 6)) << i;
  }
}

TEST_F(Module, runs_a_template_instance_named_by_an_expression) {
  std::vector<double> x(1000, 2.0);
  ASSERT_EQ(
      launch(kernel("scale<double, 3>"), {3, 1, 1}, {64, 1, 1}, 0, {}, x.data(), 0.5, 1000).status,
      0);
  for (const double value : x) ASSERT_EQ(value, 3.0);
}

TEST_F(Module, sums_with_barriers_in_natural_and_shuffled_order) {
  const int n = 50'000;
  const std::vector<float> in(n, 1.0F);
  for (const std::uint64_t seed : {0, 1, 2}) {
    std::vector<float> out(7);
    assay_simt_launch_options options{};
    options.seed = seed;
    ASSERT_EQ(launch(kernel("block_sum"), {7, 1, 1}, {256, 1, 1}, 0, options,
                     static_cast<const float*>(in.data()), out.data(), n)
                  .status,
              0);
    EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0.0F), 50'000.0F);
  }
}

TEST_F(Module, exchanges_values_inside_warps) {
  std::vector<int> in(512);
  std::iota(in.begin(), in.end(), 0);
  int out = 0;
  ASSERT_EQ(launch(kernel("warp_sum"), {1, 1, 1}, {512, 1, 1}, 0, {},
                   static_cast<const int*>(in.data()), &out)
                .status,
            0);
  EXPECT_EQ(out, 511 * 256);
}

TEST_F(Module, a_lane_alone_with_volatile_memory_waits_for_nobody) {
  int lock = 0;
  int count = 0;
  ASSERT_EQ(launch(kernel("count_under_a_lock"), {2, 1, 1}, {64, 1, 1}, 0, {}, &lock,
                   static_cast<volatile int*>(&count))
                .status,
            0);
  EXPECT_EQ(count, 128);
}

TEST_F(Module, leaves_names_of_helpers_to_the_author) {
  float out = 0;
  ASSERT_EQ(launch(kernel("helpers"), {1, 1, 1}, {1, 1, 1}, 0, {}, &out).status, 0);
  EXPECT_EQ(out, 2.0F);
}

TEST_F(Module, keeps_lanes_in_step_that_reduce_volatile_memory) {
  std::vector<int> in(64);
  std::iota(in.begin(), in.end(), 0);
  for (const std::uint64_t seed : {0, 1, 2}) {
    assay_simt_launch_options options{};
    options.seed = seed;
    int out = 0;
    ASSERT_EQ(launch(kernel("warp_sum_without_barriers"), {1, 1, 1}, {64, 1, 1}, 0, options,
                     static_cast<const int*>(in.data()), &out)
                  .status,
              0);
    EXPECT_EQ(out, 63 * 32) << seed;
  }
}

TEST_F(Module, gives_each_block_its_dynamic_shared_memory) {
  std::vector<int> data(777);
  std::iota(data.begin(), data.end(), 0);
  ASSERT_EQ(
      launch(kernel("reverse"), {1, 1, 1}, {777, 1, 1}, 777 * sizeof(int), {}, data.data(), 777)
          .status,
      0);
  for (int i = 0; i < 777; ++i) ASSERT_EQ(data[static_cast<std::size_t>(i)], 776 - i);
}

TEST_F(Module, passes_scalars_of_every_type_by_value) {
  struct Pair {
    int a;
    double b;
  };
  std::vector<double> out(13);
  const std::uint16_t half = 0x4100;      // 2.5
  const std::uint16_t bfloat16 = 0xc040;  // -3
  const auto report = launch(kernel("scalars"), {1, 1, 1}, {1, 1, 1}, 0, {}, out.data(), true,
                             static_cast<signed char>(-7), std::uint16_t{65535}, -5, 4'000'000'000U,
                             -(1LL << 40), 1ULL << 50, 1.5F, 0.1, half, bfloat16, Pair{9, 0.25});
  ASSERT_EQ(report.status, 0);
  EXPECT_EQ(out, (std::vector<double>{1, -7, 65535, -5, 4e9, -std::ldexp(1, 40), std::ldexp(1, 50),
                                      1.5, 0.1, 2.5, -3, 9, 0.25}));
}

TEST_F(Module, refuses_launches_that_hardware_refuses) {
  const auto status = [](testing::Dimensions grid, testing::Dimensions block,
                         std::uint64_t shared) {
    return launch(kernel("trapped"), grid, block, shared, {}).status;
  };
  EXPECT_EQ(status({0, 1, 1}, {1, 1, 1}, 0), 9);
  EXPECT_EQ(status({1, 1, 1}, {33, 32, 1}, 0), 9);
  EXPECT_EQ(status({1, 1, 1}, {1, 1, 65}, 0), 9);
  EXPECT_EQ(status({1, 70000, 1}, {1, 1, 1}, 0), 9);
  EXPECT_EQ(status({1, 1, 1}, {1, 1, 1}, 300 << 10), 1);
}

TEST_F(Module, ends_a_block_whose_threads_wait_for_ever) {
  const auto report = launch(kernel("lonely_barrier"), {1, 1, 1}, {64, 1, 1}, 0, {});
  ASSERT_EQ(report.finding_count, 1U);
  EXPECT_EQ(report.findings[0].kind, ASSAY_SIMT_DEADLOCK);
  EXPECT_EQ(report.findings[0].has_other, 1U);
  EXPECT_EQ(report.status, 702);
}

TEST_F(Module, turns_a_wild_access_into_a_finding) {
  int value = 0;
  const auto report = launch(kernel("wild"), {1, 1, 1}, {32, 1, 1}, 0, {}, &value);
  EXPECT_EQ(report.status, 700);
  ASSERT_EQ(report.finding_count, 1U);
  EXPECT_EQ(report.findings[0].kind, ASSAY_SIMT_WILD_ACCESS);
  EXPECT_NE(report.findings[0].place.line, 0U);
}

TEST_F(Module, says_which_array_a_wild_access_was_near) {
  constexpr std::size_t kBytes = 65'536;
  void* memory = mmap(nullptr, 2 * kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  int* near = reinterpret_cast<int*>(static_cast<char*>(memory) + kBytes);
  ASSERT_EQ(mprotect(near, kBytes, PROT_READ | PROT_WRITE), 0);
  const assay_simt_allocation array{near, 256, "near", 4, 1};
  assay_simt_launch_options options{};
  options.allocations = &array;
  options.allocation_count = 1;
  const auto report = launch(kernel("far_before"), {2, 1, 1}, {32, 1, 1}, 0, options, near);
  munmap(memory, 2 * kBytes);
  ASSERT_EQ(report.finding_count, 1U);
  const assay_simt_finding& finding = report.findings[0];
  EXPECT_EQ(finding.kind, ASSAY_SIMT_WILD_ACCESS) << finding.message;
  EXPECT_EQ(std::string_view(finding.array), "near");
  EXPECT_EQ(finding.index, -2048);
  EXPECT_EQ(finding.place.line, line_marked("far"));
  EXPECT_EQ(finding.place.is_write, 1U);
  EXPECT_EQ(finding.place.thread[0], 3U);
  EXPECT_NE(std::string_view(finding.message).find("in far_before"), std::string_view::npos);
}

TEST_F(Module, turns_a_stack_overflow_into_a_finding) {
  const auto report = launch(kernel("deep"), {1, 1, 1}, {1, 1, 1}, 0, {});
  ASSERT_EQ(report.finding_count, 1U);
  EXPECT_EQ(report.findings[0].kind, ASSAY_SIMT_STACK_OVERFLOW);
}

TEST_F(Module, reports_who_trapped_or_failed_an_assertion) {
  const auto trapped = launch(kernel("trapped"), {2, 1, 1}, {32, 1, 1}, 0, {});
  EXPECT_EQ(trapped.status, 719);
  ASSERT_GE(trapped.finding_count, 1U);
  EXPECT_EQ(trapped.findings[0].kind, ASSAY_SIMT_TRAP);
  EXPECT_EQ(trapped.findings[0].place.thread[0], 5U);

  ::testing::internal::CaptureStderr();
  const auto asserted = launch(kernel("asserted"), {1, 1, 1}, {1, 1, 1}, 0, {}, 2);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("Assertion `n > 3` failed"),
            std::string::npos);
  EXPECT_EQ(asserted.status, 710);
}

TEST_F(Module, runs_again_after_a_failure) {
  int value = 0;
  ASSERT_NE(launch(kernel("wild"), {64, 1, 1}, {32, 1, 1}, 0, {}, &value).status, 0);
  std::vector<int> data = {1, 2, 3};
  ASSERT_EQ(launch(kernel("reverse"), {1, 1, 1}, {3, 1, 1}, 12, {}, data.data(), 3).status, 0);
  EXPECT_EQ(data, (std::vector<int>{3, 2, 1}));
}

}  // namespace
}  // namespace assay::simt
