// What the sanitizers find in kernels with one mistake each, and that they find nothing in right
// ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/simt_abi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os.hpp"
#include "simt/testing/loaded_module.hpp"
#include "simt/testing/local_builder.hpp"
#include "simt/toolchain.hpp"
#include "simt/translate.hpp"

namespace assay::simt {
namespace {

using testing::launch;

// A line that a test speaks of ends with a comment of its own: // @name
constexpr std::string_view kSource = R"cuda(
__global__ void past_the_end(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i;  // @past
}

__global__ void before_the_start(const int* in, int* out) {
  out[threadIdx.x] = in[(int)threadIdx.x - 1];  // @before
}

__global__ void crooked(const float* in, float* out) {
  float4 v = *reinterpret_cast<const float4*>(in + 1);  // @crooked
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void shared_past_the_end(int* out) {
  __shared__ int tile[32];
  __shared__ int other[32];
  other[threadIdx.x] = 0;
  tile[threadIdx.x + 1] = threadIdx.x;  // @tile
  out[threadIdx.x] = other[threadIdx.x];
}

__global__ void dynamic_past_the_end(int* out, int k) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x + k] = 1;  // @scratch
  out[threadIdx.x] = scratch[threadIdx.x];
}

__global__ void missing_barrier(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;              // @write
  out[threadIdx.x] = tile[63 - threadIdx.x];    // @read
}

__global__ void with_barrier(int* out) {
  __shared__ int tile[64];
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = threadIdx.x + round;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void lockstep(int* out) {
  __shared__ volatile int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16) tile[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 16];  // @lockstep
  if (threadIdx.x < 16) out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void warp_barrier(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncwarp();
  int sum = tile[threadIdx.x] + tile[threadIdx.x ^ 1];
  __syncwarp();
  tile[threadIdx.x] = sum;
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, sum, 1);
}

__global__ void blocks_collide(int* out) {
  out[threadIdx.x] = blockIdx.x;  // @collide
}

__global__ void same_value(int* out) { out[0] = 7; }

__global__ void counted(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
}

__global__ void read_too_early(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);        // @add
  out[threadIdx.x] = count;    // @peek
}

__global__ void largest(const int* in, int* out) {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  int seen = best;
  while (seen < in[threadIdx.x]) {
    const int assumed = seen;
    seen = atomicCAS(&best, assumed, in[threadIdx.x]);
    if (seen == assumed) break;
  }
  atomicCAS(&best, -1, 0);
  __syncthreads();
  out[threadIdx.x] = best;
}

__device__ int* kept;
__global__ void keep() { if (threadIdx.x == 0) kept = new int[4]{1, 2, 3, 4}; }
__global__ void use(int* out) { out[threadIdx.x] = kept[threadIdx.x % 4]; }

__global__ void copied(const int* in, int* out) {
  __shared__ int tile[64];
  const int left = 64 - threadIdx.x;
  memcpy(&tile[threadIdx.x], &in[threadIdx.x], left < 1 ? 0 : 4);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__device__ unsigned arrived;
__global__ void last_block(const int* in, int* partial, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
    *out = sum;
  }
}

__device__ int total;
__global__ void careless_total(const int* in) { total += in[threadIdx.x]; }  // @total

__global__ void unwritten_shared(int* out) {
  __shared__ int sums[32];
  if (threadIdx.x < 16) sums[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x];  // @unwritten
}

__global__ void accumulate(int* out, const int* in) { out[threadIdx.x] += in[threadIdx.x]; }  // @accumulate

__global__ void half_a_barrier(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 1;
  if (threadIdx.x < 40) __syncthreads();  // @half
  out[threadIdx.x] = tile[0];
}

__global__ void early_return(int* out, int n) {
  __shared__ int tile[64];
  if (threadIdx.x >= n) return;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x >= n - round) return;
    tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[0];
    __syncthreads();
  }
}

__global__ void two_barriers(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();  // @one
  } else {
    __syncthreads();  // @two
  }
  out[threadIdx.x] = 1;
}

__global__ void heap(int* out) {
  int* mine = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int i = 0; i < 4; ++i) mine[i] = i;
  out[threadIdx.x] = mine[3];
  free(mine);
}
)cuda";

std::uint32_t line_marked(std::string_view name) {
  const std::size_t at = kSource.find("// @" + std::string(name) + "\n");
  return static_cast<std::uint32_t>(std::ranges::count(kSource.substr(0, at), '\n')) + 1;
}

class Sanitize : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto built = testing::build_and_load(kSource, {}, Variant::instrumented);
    ASSERT_TRUE(built) << built.error().message();
    built_.emplace(*std::move(built));
  }
  static void TearDownTestSuite() { built_.reset(); }

  static const assay_simt_kernel& kernel(std::string_view name) {
    return *built_->module.find(name);
  }

  /// The arrays `in` and `out`, of which `out` counts as never written.
  assay_simt_launch_options options(std::uint32_t what) {
    in_.resize(64, 1);
    out_.resize(64, 0);
    allocations_ = {{in_.data(), 64 * sizeof(int), "in", 4, 1},
                    {out_.data(), 64 * sizeof(int), "out", 4, 0}};
    assay_simt_launch_options result{};
    result.sanitize = what;
    result.allocations = allocations_.data();
    result.allocation_count = allocations_.size();
    return result;
  }

  static void expect_one(const assay_simt_report& report, assay_simt_finding_kind kind,
                         std::string_view array, std::uint32_t line) {
    ASSERT_EQ(report.finding_count, 1U)
        << (report.finding_count > 0 ? report.findings[0].message : "");
    EXPECT_EQ(report.findings[0].kind, kind) << report.findings[0].message;
    EXPECT_EQ(report.findings[0].array, array);
    EXPECT_EQ(report.findings[0].place.line, line);
  }

  static inline std::optional<testing::BuiltModule> built_;
  std::vector<int> in_;
  std::vector<int> out_;
  std::vector<assay_simt_allocation> allocations_;
};

constexpr std::uint32_t kAll = ASSAY_SIMT_SANITIZE_MEMORY | ASSAY_SIMT_SANITIZE_RACE |
                               ASSAY_SIMT_SANITIZE_INIT | ASSAY_SIMT_SANITIZE_SYNC;

TEST_F(Sanitize, names_array_index_thread_block_and_line_of_a_write_past_the_end) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_MEMORY);
  const auto report =
      launch(kernel("past_the_end"), {3, 1, 1}, {32, 1, 1}, 0, settings, out_.data(), 64);
  expect_one(report, ASSAY_SIMT_OUT_OF_BOUNDS, "out", line_marked("past"));
  EXPECT_EQ(report.status, 700);
  EXPECT_EQ(report.findings[0].index, 64);
  EXPECT_EQ(report.findings[0].place.thread[0], 0U);
  EXPECT_EQ(report.findings[0].place.block[0], 2U);
  EXPECT_EQ(report.findings[0].place.is_write, 1U);
  EXPECT_EQ(report.findings[0].space, ASSAY_SIMT_SPACE_GLOBAL);
}

TEST_F(Sanitize, gives_a_negative_index_before_the_start) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_MEMORY);
  const auto report = launch(kernel("before_the_start"), {1, 1, 1}, {32, 1, 1}, 0, settings,
                             static_cast<const int*>(in_.data()), out_.data());
  expect_one(report, ASSAY_SIMT_OUT_OF_BOUNDS, "in", line_marked("before"));
  EXPECT_EQ(report.findings[0].index, -1);
}

TEST_F(Sanitize, reports_a_vector_load_at_a_crooked_address) {
  std::vector<float> floats(64, 1.0F);
  assay_simt_allocation both[] = {{floats.data(), 256, "in", 4, 1}};
  assay_simt_launch_options settings{};
  settings.sanitize = ASSAY_SIMT_SANITIZE_MEMORY;
  settings.allocations = both;
  settings.allocation_count = 1;
  const auto report = launch(kernel("crooked"), {1, 1, 1}, {1, 1, 1}, 0, settings,
                             static_cast<const float*>(floats.data()), floats.data() + 32);
  expect_one(report, ASSAY_SIMT_MISALIGNED, "in", line_marked("crooked"));
  EXPECT_EQ(report.status, 716);
}

TEST_F(Sanitize, names_the_shared_variable_that_is_overrun) {
  auto settings = options(ASSAY_SIMT_SANITIZE_MEMORY);
  const auto fixed =
      launch(kernel("shared_past_the_end"), {1, 1, 1}, {32, 1, 1}, 0, settings, out_.data());
  expect_one(fixed, ASSAY_SIMT_OUT_OF_BOUNDS, "tile", line_marked("tile"));
  EXPECT_EQ(fixed.findings[0].index, 32);
  EXPECT_EQ(fixed.findings[0].place.thread[0], 31U);
  EXPECT_EQ(fixed.findings[0].space, ASSAY_SIMT_SPACE_SHARED);

  const auto dynamic =
      launch(kernel("dynamic_past_the_end"), {1, 1, 1}, {32, 1, 1}, 128, settings, out_.data(), 1);
  expect_one(dynamic, ASSAY_SIMT_OUT_OF_BOUNDS, "scratch", line_marked("scratch"));
  EXPECT_EQ(dynamic.findings[0].index, 32);
}

TEST_F(Sanitize, tells_both_sides_of_a_race) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_RACE);
  const auto report =
      launch(kernel("missing_barrier"), {1, 1, 1}, {64, 1, 1}, 0, settings, out_.data());
  // In natural order thread 0 reads an element before thread 63 writes it.
  expect_one(report, ASSAY_SIMT_RACE, "tile", line_marked("write"));
  EXPECT_EQ(report.status, 0);
  const auto& finding = report.findings[0];
  EXPECT_EQ(finding.place.is_write, 1U);
  EXPECT_EQ(finding.has_other, 1U);
  EXPECT_EQ(finding.other.line, line_marked("read"));
  EXPECT_EQ(finding.other.is_write, 0U);
  EXPECT_NE(finding.place.thread[0], finding.other.thread[0]);
}

TEST_F(Sanitize, reports_code_that_counts_on_lockstep) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_RACE);
  const auto report = launch(kernel("lockstep"), {1, 1, 1}, {32, 1, 1}, 0, settings, out_.data());
  ASSERT_GE(report.finding_count, 1U);
  EXPECT_EQ(report.findings[0].kind, ASSAY_SIMT_RACE);
}

TEST_F(Sanitize, finds_blocks_and_globals_that_collide) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_RACE);
  const auto blocks =
      launch(kernel("blocks_collide"), {2, 1, 1}, {8, 1, 1}, 0, settings, out_.data());
  expect_one(blocks, ASSAY_SIMT_RACE, "out", line_marked("collide"));
  EXPECT_EQ(blocks.findings[0].place.block[0] + blocks.findings[0].other.block[0], 1U);

  const auto global = launch(kernel("careless_total"), {1, 1, 1}, {8, 1, 1}, 0, settings,
                             static_cast<const int*>(in_.data()));
  ASSERT_GE(global.finding_count, 1U);
  EXPECT_EQ(std::string_view(global.findings[0].array), "total");
  EXPECT_EQ(global.findings[0].place.line, line_marked("total"));
}

TEST_F(Sanitize, reports_a_counter_read_while_others_still_add) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_RACE);
  const auto report =
      launch(kernel("read_too_early"), {1, 1, 1}, {8, 1, 1}, 0, settings, out_.data());
  ASSERT_GE(report.finding_count, 1U);
  EXPECT_EQ(std::string_view(report.findings[0].array), "count");
}

TEST_F(Sanitize, reports_reads_of_what_nothing_has_written) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_INIT);
  const auto shared =
      launch(kernel("unwritten_shared"), {1, 1, 1}, {32, 1, 1}, 0, settings, out_.data());
  expect_one(shared, ASSAY_SIMT_UNINITIALISED_READ, "sums", line_marked("unwritten"));
  EXPECT_GE(shared.findings[0].index, 16);

  const auto global = launch(kernel("accumulate"), {1, 1, 1}, {32, 1, 1}, 0, settings, out_.data(),
                             static_cast<const int*>(in_.data()));
  expect_one(global, ASSAY_SIMT_UNINITIALISED_READ, "out", line_marked("accumulate"));
}

TEST_F(Sanitize, reports_barriers_that_not_all_threads_reach) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_SYNC);
  const auto half =
      launch(kernel("half_a_barrier"), {1, 1, 1}, {64, 1, 1}, 0, settings, out_.data());
  ASSERT_GE(half.finding_count, 1U);
  EXPECT_EQ(half.findings[0].kind, ASSAY_SIMT_BARRIER_DIVERGENCE);
  EXPECT_EQ(half.findings[0].place.line, line_marked("half"));
  EXPECT_LT(half.findings[0].place.thread[0], 40U);
  EXPECT_EQ(half.findings[0].other.thread[0], 40U);

  const auto two = launch(kernel("two_barriers"), {1, 1, 1}, {64, 1, 1}, 0, settings, out_.data());
  ASSERT_GE(two.finding_count, 1U);
  EXPECT_EQ(two.findings[0].place.line, line_marked("two"));
  EXPECT_EQ(two.findings[0].other.line, line_marked("one"));
}

TEST_F(Sanitize, accepts_barriers_that_threads_left_the_kernel_before) {
  for (const unsigned seed : {0U, 7U}) {
    auto settings = options(ASSAY_SIMT_SANITIZE_SYNC);
    settings.seed = seed;
    for (const int n : {40, 3, 64}) {
      const auto report =
          launch(kernel("early_return"), {2, 1, 1}, {64, 1, 1}, 0, settings, out_.data(), n);
      EXPECT_EQ(report.status, 0);
      EXPECT_EQ(report.finding_count, 0U) << n << ": " << report.findings[0].message;
    }
  }
}

TEST_F(Sanitize, finds_nothing_in_kernels_that_are_right) {
  for (const char* name : {"with_barrier", "warp_barrier", "same_value", "counted", "heap"}) {
    const auto settings = options(kAll);
    const auto report = launch(kernel(name), {1, 1, 1}, {64, 1, 1}, 0, settings, out_.data());
    EXPECT_EQ(report.status, 0) << name;
    EXPECT_EQ(report.finding_count, 0U) << name << ": " << report.findings[0].message;
  }
  const auto settings = options(kAll);
  const auto report = launch(kernel("last_block"), {8, 1, 1}, {32, 1, 1}, 0, settings,
                             static_cast<const int*>(in_.data()), out_.data(), out_.data() + 32);
  EXPECT_EQ(report.finding_count, 0U) << report.findings[0].message;
  EXPECT_EQ(out_[32], 8);
}

TEST_F(Sanitize, finds_nothing_in_a_look_before_a_compare_and_swap) {
  const auto settings = options(kAll);
  const auto report = launch(kernel("largest"), {2, 1, 1}, {32, 1, 1}, 0, settings,
                             static_cast<const int*>(in_.data()), out_.data());
  EXPECT_EQ(report.finding_count, 0U) << report.findings[0].message;
  EXPECT_EQ(out_[0], 1);
}

TEST_F(Sanitize, knows_the_heap_of_an_earlier_launch) {
  auto settings = options(kAll);
  EXPECT_EQ(launch(kernel("keep"), {1, 1, 1}, {8, 1, 1}, 0, settings).finding_count, 0U);
  const auto report = launch(kernel("use"), {1, 1, 1}, {8, 1, 1}, 0, settings, out_.data());
  EXPECT_EQ(report.finding_count, 0U) << report.findings[0].message;
  EXPECT_EQ(out_[5], 2);
}

TEST_F(Sanitize, sees_what_a_short_copy_writes) {
  const auto settings = options(kAll);
  const auto report = launch(kernel("copied"), {1, 1, 1}, {64, 1, 1}, 0, settings,
                             static_cast<const int*>(in_.data()), out_.data());
  EXPECT_EQ(report.finding_count, 0U) << report.findings[0].message;
}

TEST_F(Sanitize, gives_the_line_of_an_atomic_in_a_race) {
  const auto settings = options(ASSAY_SIMT_SANITIZE_RACE);
  const auto report =
      launch(kernel("read_too_early"), {1, 1, 1}, {8, 1, 1}, 0, settings, out_.data());
  ASSERT_GE(report.finding_count, 1U);
  const auto& finding = report.findings[0];
  const std::uint32_t lines[] = {finding.place.line, finding.other.line};
  EXPECT_EQ(std::ranges::count(lines, line_marked("add")), 1) << lines[0] << ' ' << lines[1];
  EXPECT_EQ(std::ranges::count(lines, line_marked("peek")), 1) << lines[0] << ' ' << lines[1];
}

TEST_F(Sanitize, runs_an_instrumented_module_without_checks_too) {
  out_.resize(64);
  ASSERT_EQ(launch(kernel("with_barrier"), {1, 1, 1}, {64, 1, 1}, 0, {}, out_.data()).status, 0);
  EXPECT_EQ(out_[0], 65);
}

/// Builds and runs a program with all checks on; gives what it printed.
std::string run_checked(std::string_view source) {
  const auto toolchain = testing::shared_toolchain();
  const auto directory = TempDir::create(std::filesystem::temp_directory_path(), "simt-").value();
  TranslateOptions options;
  options.module = false;
  const auto built =
      testing::build(*toolchain, source, options, Variant::instrumented, directory.path());
  EXPECT_TRUE(built && built->compiled) << (built ? built->raw_log : built.error().message());
  return testing::run_command({built->file.string()}, directory.path()).value().output;
}

TEST(SanitizeHost, checks_memory_that_host_code_has_declared) {
  const std::string found = run_checked(R"cuda(
#include <assay/simt_abi.h>
#include <cstdlib>
__global__ void shift(const float* from, float* to) {
  to[threadIdx.x + 1] = from[threadIdx.x];
}
int main() {
  float* from = static_cast<float*>(calloc(128, sizeof(float)));
  const assay_simt_allocation arrays[] = {
      {from, 512, "what was here before", 4, 1}, {from, 256, "from", 4, 1}, {from + 64, 256, nullptr, 1, 1}};
  for (const auto& array : arrays) assay_simt_declare_array(&array);
  shift<<<1, 64>>>(from, from + 64);
}
)cuda");
  EXPECT_THAT(found, ::testing::HasSubstr("index 64 of argument 2 of shift"));
}

TEST(SanitizeHost, forgotten_memory_is_no_array) {
  const std::string found = run_checked(R"cuda(
#include <assay/simt_abi.h>
#include <cstdlib>
__global__ void fill(int* out) { out[threadIdx.x] = 1; }
int main() {
  int* out = static_cast<int*>(calloc(64, sizeof(int)));
  const assay_simt_allocation array{out, 256, "out", 4, 1};
  assay_simt_declare_array(&array);
  fill<<<1, 64>>>(out);
  assay_simt_forget_array(out);
  fill<<<1, 32>>>(out);
}
)cuda");
  EXPECT_THAT(found, ::testing::HasSubstr("out of bounds"));
  EXPECT_THAT(found, ::testing::Not(::testing::HasSubstr("of out")));
}

}  // namespace
}  // namespace assay::simt
