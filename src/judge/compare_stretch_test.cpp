#include "judge/compare_stretch.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <device_code/work.hpp>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

using work::Kind;

constexpr std::size_t kCount = 5 * work::kLanes + 77;
constexpr work::Word kPattern = 0xA55A;

/// One element after the other.
work::Stretch one_by_one(const work::CompareTask& task, std::size_t from, std::size_t to) {
  work::Stretch found = work::nothing_found();
  std::array<double, work::kLanes> sums{};
  for (std::size_t i = from; i < to; ++i) {
    double& sum = sums.at(i % work::kLanes);
    sum = work::plus(sum, work::compare_element(task.kind, task, i, found));
  }
  for (std::size_t half = sums.size() / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sums.at(lane) += sums.at(lane + half);
  }
  found.sum = sums[0];
  return found;
}

std::vector<std::uint64_t> bits_of(const work::Stretch& found) {
  return {found.mismatches,
          found.unwritten,
          found.wanted_unwritten,
          found.nans,
          found.wanted_nans,
          found.first,
          std::bit_cast<std::uint64_t>(found.max),
          std::bit_cast<std::uint64_t>(found.used),
          std::bit_cast<std::uint64_t>(found.sum)};
}

/// Arrays that agree but for a few elements, NaN, infinities and patterns among them.
struct Arrays {
  std::vector<std::byte> got;
  std::vector<std::byte> want;
  std::vector<double> precise;
};

Arrays arrays_of(Kind kind, std::mt19937& chance) {
  std::normal_distribution<double> normal(0, 10);
  std::uniform_int_distribution<int> dice(0, 999);
  const std::array odd = {std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          0.0,
                          -0.0,
                          1e300};
  Arrays made{.got = std::vector<std::byte>(kCount * work::size_of(kind)),
              .want = std::vector<std::byte>(kCount * work::size_of(kind)),
              .precise = std::vector<double>(kCount)};
  const int oddity = dice(chance) % 3 == 0 ? 10 : 0;  // some arrays agree all over
  for (std::size_t i = 0; i < kCount; ++i) {
    const double value = normal(chance);
    double got = value * (1 + 1e-7 * (dice(chance) % 3));
    double want = value;
    if (dice(chance) < oddity) got = odd.at(static_cast<std::size_t>(dice(chance)) % odd.size());
    if (dice(chance) < oddity) want = odd.at(static_cast<std::size_t>(dice(chance)) % odd.size());
    work::write(kind, made.got.data(), i, got);
    work::write(kind, made.want.data(), i, want);
    made.precise[i] = value * (1 + 1e-8);
    if (dice(chance) < oddity) {
      const std::array<unsigned char, 8> pattern = {0x5A, 0xA5, 0x5A, 0xA5, 0x5A, 0xA5, 0x5A, 0xA5};
      std::memcpy(made.got.data() + i * work::size_of(kind), pattern.data(), work::size_of(kind));
    }
  }
  return made;
}

TEST(CompareStretch, finds_what_looking_at_one_element_after_the_other_finds) {
  std::mt19937 chance(20);  // NOLINT(bugprone-random-generator-seed): the same cases every time
  int disagreeing = 0;
  for (int turn = 0; turn < 12; ++turn) {
    for (auto kind = Kind::float64; kind <= Kind::boolean;
         kind = static_cast<Kind>(static_cast<work::Word>(kind) + 1)) {
      const Arrays arrays = arrays_of(kind, chance);
      const work::CompareTask task{
          .got = arrays.got.data(),
          .want = arrays.want.data(),
          .count = kCount,
          .kind = kind,
          .bound = {.atol = turn % 2 == 0 ? 1e-6 : 0,
                    .rtol = 1.5e-7,
                    .precise = turn % 3 == 0 ? arrays.precise.data() : nullptr,
                    .equal_nan = static_cast<work::Word>(turn % 4 == 0)},
          .got_before = turn % 5 == 0 ? work::kNoPattern : kPattern,
          .want_before = work::kNoPattern};
      const work::Stretch want = one_by_one(task, 0, kCount);
      disagreeing += want.mismatches > 0 ? 1 : 0;
      EXPECT_EQ(bits_of(compare_stretch(task, 0, kCount)), bits_of(want)) << int(kind) << turn;
      EXPECT_EQ(bits_of(compare_stretch_plainly(task, 0, kCount)), bits_of(want))
          << int(kind) << turn;
    }
  }
  EXPECT_GT(disagreeing, 20);
  EXPECT_LT(disagreeing, 12 * 15);
}

}  // namespace
}  // namespace assay::judge
