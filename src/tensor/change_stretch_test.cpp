#include "tensor/change_stretch.hpp"

#include <cstddef>
#include <random>
#include <vector>

#include <device_code/work.hpp>
#include <gtest/gtest.h>

namespace assay::tensor {
namespace {

using work::Kind;

constexpr std::size_t kElements = 300;

template <class Enum>
Enum next(Enum one) {
  return static_cast<Enum>(static_cast<work::Word>(one) + 1);
}

std::vector<std::byte> some_numbers(Kind kind) {
  std::mt19937 chance(3);  // NOLINT(bugprone-random-generator-seed): the same numbers every time
  std::normal_distribution<double> normal(0, 2);
  std::vector<std::byte> bytes(kElements * work::size_of(kind));
  for (std::size_t i = 0; i < kElements; ++i) {
    work::write(kind, bytes.data(), i, i % 7 == 0 ? 0.0 : normal(chance));
  }
  work::write(kind, bytes.data(), 14, work::not_a_number());
  work::write(kind, bytes.data(), 21, -0.0);
  return bytes;
}

TEST(TransformStretch, changes_elements_as_one_by_one) {
  for (auto kind = Kind::float64; kind <= Kind::float8_e5m2; kind = next(kind)) {
    for (auto pattern = work::Pattern::own; pattern <= work::Pattern::extremes;
         pattern = next(pattern)) {
      for (auto spread = work::Spread::own; spread <= work::Spread::large_shifted;
           spread = next(spread)) {
        auto wide = some_numbers(kind);
        auto plain = wide;
        auto want = wide;
        const auto task_of = [&](std::vector<std::byte>& bytes) {
          return work::TransformTask{.array = bytes.data(),
                                     .count = kElements,
                                     .kind = kind,
                                     .pattern = pattern,
                                     .spread = spread,
                                     .rms = 2.1,
                                     .seed = 99,
                                     .turns = static_cast<work::Word>(spread) % 2,
                                     .apart = static_cast<work::Word>(spread) / 2 % 2};
        };
        const auto want_task = task_of(want);
        for (std::size_t i = 5; i < kElements - 3; ++i) work::transform_element(kind, want_task, i);
        transform_stretch(task_of(wide), 5, kElements - 3);
        transform_stretch_plainly(task_of(plain), 5, kElements - 3);
        EXPECT_EQ(wide, want) << static_cast<int>(kind) << static_cast<int>(pattern);
        EXPECT_EQ(plain, want) << static_cast<int>(kind) << static_cast<int>(pattern);
      }
    }
  }
}

}  // namespace
}  // namespace assay::tensor
