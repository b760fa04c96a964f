// Threads that meet at barriers, and threads that do not: how a block runs must not show.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/simt_abi.h>
#include <gtest/gtest.h>

#include "simt/testing/loaded_module.hpp"
#include "simt/toolchain.hpp"

namespace assay::simt {
namespace {

constexpr std::string_view kSource = R"cuda(
// Thread t meets the others at stays[t] barriers and then leaves. Before each it counts itself in,
// after it everyone adds up who came.
__global__ void meet(const int* stays, int* seen, int votes) {
  __shared__ int present[16];
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  for (int i = t; i < 16; i += blockDim.x * blockDim.y) present[i] = 0;
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < stays[t]; ++round) {
    atomicAdd(&present[round], 1);
    if (votes) {
      sum += __syncthreads_count(t % 2);
    } else {
      __syncthreads();
      sum += present[round];
    }
  }
  seen[blockIdx.x * blockDim.x * blockDim.y + t] = sum;
}

// The same with nothing before the first barrier that all threads meet at.
__global__ void leave_at_once(const int* stays, int* seen) {
  int t = threadIdx.x;
  if (stays[t] == 0) return;
  int sum = 0;
  for (int round = 0; round < stays[t]; ++round) sum += __syncthreads_count(1);
  seen[blockIdx.x * blockDim.x + t] = sum;
}

__global__ void exchange(int* out, int rounds) {
  __shared__ int tile[1024];
  int t = threadIdx.x;
  int value = t;
  for (int round = 0; round < rounds; ++round) {
    value = __shfl_xor_sync(0xffffffffu, value, 1 << round % 5);
    if (round % 3 == 0) {
      tile[t] = value;
      __syncthreads();
      value = tile[(t + 1) % blockDim.x];
      __syncthreads();
    }
    if (__ballot_sync(0xffffffffu, value % 2) == 0) value += 1000;
  }
  out[blockIdx.x * blockDim.x + t] = value;
}

// Whole warps, parts of them, and warps that some lanes have left.
__global__ void diverge(int* out) {
  int t = threadIdx.x, lane = t % 32, value = t;
  int* mine = out + blockIdx.x * blockDim.x + t;
  value += __shfl_down_sync(0xffffffffu, value, 1);
  if (lane >= 16) value += __shfl_xor_sync(0xffff0000u, value, 3);
  value += __shfl_xor_sync(0xffffffffu, value, 16);
  if (t / 32 % 2 == 1) value += __reduce_add_sync(0xffffffffu, value);
  __syncwarp();
  if (t >= 32) __syncwarp();
  __syncthreads();
  value += __popc(__ballot_sync(0xffffffffu, value % 3 == 0));
  *mine = value;
  if (t >= 64 && lane == 3) return;
  value += __shfl_up_sync(0xffffffffu, value, 1);
  __syncthreads();
  value += __match_any_sync(0xffffffffu, value % 2) % 1000;
  *mine = value;
}

// Each warp on its own, with no barrier.
__global__ void sum_rows(const int* in, int* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int value = in[row * 32 + lane];
  for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(0xffffffffu, value, d);
  if (lane == row % 32) out[row] = value;
}

__global__ void trap_later(int rounds, int who) {
  for (int round = 0; round < rounds; ++round) __syncthreads();
  if (threadIdx.x == who) __trap();
  __syncthreads();
}
)cuda";

class Turns : public ::testing::Test {
 protected:
  static constexpr int kBlocks = 3;

  static void SetUpTestSuite() {
    auto built = testing::build_and_load(kSource, {}, Variant::plain);
    ASSERT_TRUE(built) << built.error().message();
    built_.emplace(*std::move(built));
  }
  static void TearDownTestSuite() { built_.reset(); }

  static const assay_simt_kernel& kernel(std::string_view name) {
    return *built_->module.find(name);
  }

  /// One OS thread, so that every block runs on what the one before it left behind.
  static assay_simt_launch_options one_thread(std::uint64_t seed = 0) {
    assay_simt_launch_options options{};
    options.threads = 1;
    options.seed = seed;
    return options;
  }

  /// What a thread sees that stays for so many rounds, by rounds: those who stay longer, or every
  /// second one of them.
  static std::vector<int> sights(const std::vector<int>& stays, bool votes) {
    std::vector<int> sums = {0};
    for (int round = 0; round < 10; ++round) {
      int present = 0;
      for (std::size_t i = 0; i < stays.size(); ++i) {
        present += stays[i] > round && (!votes || i % 2 == 1) ? 1 : 0;
      }
      sums.push_back(sums.back() + present);
    }
    return sums;
  }

  static void expect_meetings(const std::vector<int>& stays, std::uint32_t width, bool votes) {
    const auto threads = static_cast<std::uint32_t>(stays.size());
    std::vector<int> seen(std::size_t{kBlocks} * threads, -1);
    const auto report =
        testing::launch(kernel("meet"), {kBlocks, 1, 1}, {width, threads / width, 1}, 0,
                        one_thread(), stays.data(), seen.data(), int{votes});
    ASSERT_EQ(report.status, 0) << report.findings[0].message;
    const std::vector<int> expected = sights(stays, votes);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i], expected[static_cast<std::size_t>(stays[i % threads])])
          << "thread " << i % threads << " of " << threads << ", block " << i / threads;
    }
  }

  static inline std::optional<testing::BuiltModule> built_;
};

/// How long each thread stays: together, the first or last one shorter, by warps, by halves, mixed.
std::vector<std::vector<int>> patterns(std::size_t threads) {
  std::vector<std::vector<int>> all(7, std::vector<int>(threads, 9));
  all[1].front() = 4;
  all[2].back() = 0;
  for (std::size_t i = 0; i < threads; ++i) {
    all[3][i] = i < threads / 2 ? 2 : 7;
    all[4][i] = i < threads / 2 ? 7 : 2;
    all[5][i] = static_cast<int>(i / 32 % 8);
    all[6][i] = static_cast<int>(i * 7 % 10);
  }
  return all;
}

TEST_F(Turns, threads_may_leave_between_barriers) {
  for (const std::uint32_t threads : {2U, 31U, 32U, 33U, 200U, 256U, 1024U}) {
    for (const auto& stays : patterns(threads)) {
      expect_meetings(stays, threads, false);
      expect_meetings(stays, threads, true);
    }
  }
  for (const auto& stays : patterns(96)) expect_meetings(stays, 8, false);
}

TEST_F(Turns, threads_may_leave_before_the_first_barrier) {
  for (const std::uint32_t threads : {2U, 33U, 256U}) {
    for (auto stays : patterns(threads)) {
      for (const std::size_t absent : {std::size_t{0}, threads / 2UL, threads - 1UL}) {
        stays[absent] = 0;
        std::vector<int> seen(std::size_t{kBlocks} * threads, 0);
        const auto report =
            testing::launch(kernel("leave_at_once"), {kBlocks, 1, 1}, {threads, 1, 1}, 0,
                            one_thread(), stays.data(), seen.data());
        ASSERT_EQ(report.status, 0) << report.findings[0].message;
        const std::vector<int> expected = sights(stays, false);
        for (std::size_t i = 0; i < seen.size(); ++i) {
          ASSERT_EQ(seen[i], expected[static_cast<std::size_t>(stays[i % threads])]);
        }
      }
    }
  }
}

TEST_F(Turns, barriers_and_warp_operations_alternate_as_under_a_shuffled_order) {
  for (const std::uint32_t threads : {32U, 96U, 1024U}) {
    std::vector<int> natural(std::size_t{kBlocks} * threads, -1);
    std::vector<int> shuffled = natural;
    testing::launch(kernel("exchange"), {kBlocks, 1, 1}, {threads, 1, 1}, 0, one_thread(),
                    natural.data(), 20);
    testing::launch(kernel("exchange"), {kBlocks, 1, 1}, {threads, 1, 1}, 0, one_thread(17),
                    shuffled.data(), 20);
    EXPECT_EQ(natural, shuffled);
    EXPECT_NE(natural[0], -1);
  }
}

TEST_F(Turns, warps_that_part_agree_with_a_shuffled_order) {
  for (const std::uint32_t threads : {32U, 64U, 128U, 1024U}) {
    std::vector<int> natural(std::size_t{kBlocks} * threads, -1);
    std::vector<int> shuffled = natural;
    for (auto* into : {&natural, &shuffled}) {
      const auto report = testing::launch(kernel("diverge"), {kBlocks, 1, 1}, {threads, 1, 1}, 0,
                                          one_thread(into == &natural ? 0 : 23), into->data());
      ASSERT_EQ(report.status, 0) << report.findings[0].message;
    }
    EXPECT_EQ(natural, shuffled) << threads;
  }
}

TEST_F(Turns, warps_may_go_one_after_the_other) {
  constexpr std::size_t kRows = 24;
  std::vector<int> in(kRows * 32);
  std::iota(in.begin(), in.end(), 0);
  std::vector<int> out(kRows, -1);
  testing::launch(kernel("sum_rows"), {3, 1, 1}, {256, 1, 1}, 0, one_thread(), in.data(),
                  out.data());
  for (std::size_t row = 0; row < kRows; ++row) {
    EXPECT_EQ(out[row], static_cast<int>(1024 * row + 496)) << row;
  }
}

TEST_F(Turns, a_launch_that_fails_among_barriers_harms_none_after_it) {
  const std::vector<int> stays(256, 9);
  for (const int rounds : {0, 1, 5}) {
    for (const int who : {0, 100, 255}) {
      const auto report = testing::launch(kernel("trap_later"), {kBlocks, 1, 1}, {256, 1, 1}, 0,
                                          one_thread(), rounds, who);
      ASSERT_EQ(report.finding_count, 1U);
      EXPECT_EQ(report.findings[0].kind, std::uint32_t{ASSAY_SIMT_TRAP});
      EXPECT_EQ(report.findings[0].place.thread[0], static_cast<std::uint32_t>(who));
      expect_meetings(stays, 256, false);
    }
  }
}

}  // namespace
}  // namespace assay::simt
