#include "tensor/resemblance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/generate.hpp"

namespace assay::tensor {
namespace {

std::vector<float> random_numbers(const Shape& shape, std::uint64_t seed) {
  const TensorArg tensor{.shape = shape, .content = Randn{}};
  std::vector<float> numbers(tensor.byte_size() / sizeof(float));
  generate(tensor, seed, std::as_writable_bytes(std::span(numbers)));
  return numbers;
}

/// How many elements differ from those of an earlier tensor.
std::size_t changed(const Shape& shape, std::uint64_t seed, const std::vector<float>& before,
                    std::vector<float> fresh) {
  resemble(DType::float32, shape, seed, std::as_bytes(std::span(before)),
           std::as_writable_bytes(std::span(fresh)));
  std::size_t count = 0;
  for (std::size_t i = 0; i < fresh.size(); ++i) count += fresh[i] != before[i] ? 1U : 0U;
  return count;
}

TEST(Resemblance, few_elements_differ_and_at_least_one) {
  const Shape shape{64, 33};
  const auto before = random_numbers(shape, 1);
  std::set<std::size_t> counts;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::size_t count = changed(shape, seed, before, random_numbers(shape, 100 + seed));
    EXPECT_GE(count, 1U);
    EXPECT_LT(count, before.size() / 4);
    counts.insert(count);
  }
  EXPECT_EQ(*counts.begin(), 1U);
  EXPECT_GT(*counts.rbegin(), before.size() / 16);
}

TEST(Resemblance, of_a_small_tensor_one_element_differs_too) {
  const Shape shape{8, 5};
  const auto before = random_numbers(shape, 1);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_GE(changed(shape, seed, before, random_numbers(shape, 100 + seed)), 1U);
  }
}

TEST(Resemblance, seeds_choose_other_elements) {
  const Shape shape{64, 33};
  const auto before = random_numbers(shape, 1);
  std::set<std::ptrdiff_t> first;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto fresh = random_numbers(shape, 2);
    resemble(DType::float32, shape, seed, std::as_bytes(std::span(before)),
             std::as_writable_bytes(std::span(fresh)));
    first.insert(std::ranges::mismatch(fresh, before).in1 - fresh.begin());
  }
  EXPECT_GT(first.size(), 10U);
}

std::vector<float> symmetric(std::vector<float> square) {
  const auto width = static_cast<std::size_t>(std::sqrt(static_cast<double>(square.size())));
  for (std::size_t i = 0; i < square.size(); ++i) {
    square[i] = square[std::min(i, i % width * width + i / width)];
  }
  return square;
}

TEST(Resemblance, square_matrices_are_mixed_and_triangular_ones_stay_triangular) {
  const Shape shape{40, 40};
  const auto triangular = [](std::uint64_t seed) {
    auto numbers = random_numbers({40, 40}, seed);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i % 40 > i / 40) numbers[i] = 0;
    }
    return numbers;
  };
  const auto before = triangular(1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_LT(changed(shape, seed, random_numbers(shape, 1), random_numbers(shape, 2)), 400U);
    auto mixed = triangular(100 + seed);
    resemble(DType::float32, shape, seed, std::as_bytes(std::span(before)),
             std::as_writable_bytes(std::span(mixed)));
    for (std::size_t i = 0; i < mixed.size(); ++i) EXPECT_EQ(mixed[i] == 0, before[i] == 0);
  }
}

TEST(Resemblance, what_a_mixture_could_break_stays_fresh) {
  const auto stays = [](const Shape& shape, const std::vector<float>& fresh) {
    return changed(shape, 3, random_numbers(shape, 1), fresh) == fresh.size();
  };
  EXPECT_TRUE(stays({40, 40}, symmetric(random_numbers({40, 40}, 2))));
  auto sorted = random_numbers({500}, 2);
  std::ranges::sort(sorted);
  EXPECT_TRUE(stays({500}, sorted));
  std::vector<float> whole(500);
  std::iota(whole.begin(), whole.end(), 5.F);
  EXPECT_TRUE(stays({500}, whole)) << "whole numbers may be indices";
}

TEST(Resemblance, tensors_of_another_size_are_left_alone) {
  const auto before = random_numbers({10}, 1);
  const auto fresh = random_numbers({20}, 2);
  auto mixed = fresh;
  resemble(DType::float32, {20}, 0, std::as_bytes(std::span(before)),
           std::as_writable_bytes(std::span(mixed)));
  EXPECT_EQ(mixed, fresh);
}

}  // namespace
}  // namespace assay::tensor
