// What running a kernel on the CPU costs, as ratios against plain C++ on the same cores, measured
// in turns in the same run.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <functional>
#include <ratio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <assay/simt_abi.h>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "simt/testing/loaded_module.hpp"
#include "simt/testing/local_builder.hpp"
#include "simt/toolchain.hpp"

namespace {

namespace simt = assay::simt;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kElements = 16 << 20;
constexpr int kSide = 512;
constexpr int kRounds = 9;

constexpr std::string_view kSource = R"cuda(
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    ta[y][x] = a[row * n + t * 16 + x];
    tb[y][x] = b[(t * 16 + y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// Each block sums a stretch of its own.
__global__ void reduce(const float* in, float* out, int per_block) {
  __shared__ float s[256];
  const float* mine = in + (long long)blockIdx.x * per_block;
  float v = 0;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) v += mine[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void barriers(int n) { for (int i = 0; i < n; ++i) __syncthreads(); }
__global__ void nothing() {}
)cuda";

[[gnu::noinline]] void add_loop(const float* a, const float* b, float* c, int from, int to) {
  for (int i = from; i < to; ++i) c[i] = a[i] + b[i];
}
[[gnu::noinline]] float sum_loop(const float* a, int from, int to) {
  float sum = 0;
  for (int i = from; i < to; ++i) sum += a[i];
  return sum;
}
[[gnu::noinline]] void matmul_loop(const float* a, const float* b, float* c, int n, int from,
                                   int to) {
  for (int i = from; i < to; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

/// Splits 0..count over all cores.
void on_all_cores(int count, const std::function<void(int, int)>& work) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (int i = 0; i < cores; ++i) {
    const auto from = static_cast<int>(std::int64_t{count} * i / cores);
    const auto to = static_cast<int>(std::int64_t{count} * (i + 1) / cores);
    threads.emplace_back([&work, from, to] { work(from, to); });
  }
}

/// Of all threads of this process: what a busy machine disturbs less than the wall clock.
Milliseconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

struct Taken {
  Milliseconds wall{1e9};
  Milliseconds processor{1e9};

  void keep_less(const Taken& other) {
    wall = std::min(wall, other.wall);
    processor = std::min(processor, other.processor);
  }
};

Taken time_of(const std::function<void()>& work) {
  const Milliseconds before = processor_time();
  const auto start = std::chrono::steady_clock::now();
  work();
  const Milliseconds wall = std::chrono::steady_clock::now() - start;
  return {wall, processor_time() - before};
}

struct Pair {
  Taken loop;
  Taken kernel;
};

/// The best of several rounds, in which the two take turns.
Pair compare(const std::function<void()>& loop, const std::function<void()>& kernel) {
  Pair best;
  for (int i = 0; i < kRounds; ++i) {
    best.loop.keep_less(time_of(loop));
    best.kernel.keep_less(time_of(kernel));
  }
  return best;
}

void print(std::string_view what, const Pair& times, std::string_view aim) {
  fmt::print(
      "{:<34} loop {:8.2f} ms  kernel {:8.2f} ms  {:.2f} times the loop, {:.2f} times its "
      "processor "
      "time ({})\n",
      what, times.loop.wall.count(), times.kernel.wall.count(), times.kernel.wall / times.loop.wall,
      times.kernel.processor / times.loop.processor, aim);
}

assay::Result<int> run() {
  ASSAY_TRY(const auto toolchain, simt::testing::shared_toolchain());
  ASSAY_TRY(const auto directory,
            assay::TempDir::create(std::filesystem::temp_directory_path(), "simt-bench-"));
  simt::testing::BuildResult built;
  const auto compile = time_of([&] {
    auto result =
        simt::testing::build(toolchain, kSource, {}, simt::Variant::plain, directory.path());
    if (result) built = *result;
  });
  if (!built.compiled) return assay::fail(assay::ErrorCode::internal, built.raw_log);
  ASSAY_TRY(const auto module, simt::testing::LoadedModule::load(toolchain, built.file));
  const auto& find = [&](std::string_view name) -> const assay_simt_kernel& {
    return *module.find(name);
  };

  std::vector<float> a(kElements, 1.0F);
  std::vector<float> b(kElements, 2.0F);
  std::vector<float> c(kElements, 0.0F);
  const float* pa = a.data();
  const float* pb = b.data();
  float* pc = c.data();
  fmt::print("compile of five kernels, cold: {:.0f} ms (aim for a typical kernel: under 1500)\n",
             compile.wall.count());
  print("element-wise, 16 Mi floats",
        compare([&] { on_all_cores(kElements, [&](int f, int t) { add_loop(pa, pb, pc, f, t); }); },
                [&] {
                  simt::testing::launch(find("add"), {kElements / 256, 1, 1}, {256, 1, 1}, 0, {},
                                        pa, pb, pc, kElements);
                }),
        "aim: at most 2");
  print(
      "16x16 tiles, matmul 512 cubed",
      compare(
          [&] { on_all_cores(kSide, [&](int f, int t) { matmul_loop(pa, pb, pc, kSide, f, t); }); },
          [&] {
            simt::testing::launch(find("matmul"), {kSide / 16, kSide / 16, 1}, {16, 16, 1}, 0, {},
                                  pa, pb, pc, kSide);
          }),
      "aim: at most 6");
  volatile float sink = 0;
  // What a block costs beside its elements is nine barriers and the start and end of its threads.
  for (const std::uint32_t blocks : {256U, 1024U, 4096U, 65'536U}) {
    const int per_block = kElements / static_cast<int>(blocks);
    print(
        fmt::format("block reduction, {} a thread", per_block / 256),
        compare([&] { on_all_cores(kElements, [&](int f, int t) { sink = sum_loop(pa, f, t); }); },
                [&] {
                  simt::testing::launch(find("reduce"), {blocks, 1, 1}, {256, 1, 1}, 0, {}, pa, pc,
                                        per_block);
                }),
        blocks <= 4096 ? "aim: at most 4" : "known to miss 4: barriers are the work");
  }
  const auto barriers = compare(
      [] {}, [&] { simt::testing::launch(find("barriers"), {1, 1, 1}, {256, 1, 1}, 0, {}, 1000); });
  fmt::print("barrier: {:.1f} ns a thread\n", barriers.kernel.wall.count() * 1e6 / (256 * 1000));
  const auto nothing =
      compare([] {}, [&] { simt::testing::launch(find("nothing"), {1, 1, 1}, {32, 1, 1}, 0, {}); });
  fmt::print("empty launch: {:.2f} microseconds\n", nothing.kernel.wall.count() * 1e3);
  return 0;
}

}  // namespace

int main() try {
  const auto result = run();
  if (!result) fmt::print(stderr, "{}\n", result.error().message());
  return result ? *result : 1;
} catch (const std::exception& thrown) {
  std::fputs(thrown.what(), stderr);
  return 1;
}
