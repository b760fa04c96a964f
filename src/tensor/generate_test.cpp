#include "tensor/generate.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <device_code/work.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/element.hpp"

namespace assay::tensor {
namespace {

std::vector<double> values(const TensorArg& tensor, std::uint64_t seed = 1) {
  std::vector<std::byte> bytes(tensor.byte_size());
  generate(tensor, seed, bytes);
  std::vector<double> numbers;
  numbers.reserve(element_count(tensor.shape));
  for (std::size_t i = 0; i < element_count(tensor.shape); ++i) {
    numbers.push_back(read_element(tensor.dtype, bytes, i));
  }
  return numbers;
}

struct Moments {
  double mean = 0;
  double std = 0;
};

Moments moments(const std::vector<double>& numbers) {
  Moments m;
  for (const double x : numbers) m.mean += x / static_cast<double>(numbers.size());
  for (const double x : numbers) {
    m.std += (x - m.mean) * (x - m.mean) / static_cast<double>(numbers.size());
  }
  m.std = std::sqrt(m.std);
  return m;
}

TEST(Philox, agrees_with_the_published_vectors) {
  EXPECT_THAT(work::philox(0, 0).x,
              testing::ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
}

TEST(Generate, its_logarithm_and_its_circle_are_those_of_the_library) {
  for (std::uint64_t i = 1; i < 4000; ++i) {
    const auto bits = static_cast<std::uint32_t>(work::mixed(i, 7));
    const double u = (bits + 0.5) * 0x1p-32;
    EXPECT_NEAR(work::log_of(u) / std::log(u), 1, 1e-15);
    const work::Point point = work::on_circle(bits);
    const double angle = 2 * std::numbers::pi * bits * 0x1p-32;
    EXPECT_NEAR(point.cosine, std::cos(angle), 1e-15);
    EXPECT_NEAR(point.sine, std::sin(angle), 1e-15);
  }
}

TEST(Generate, normal_numbers_have_the_mean_and_std_asked_for) {
  const auto m = moments(values({.shape = {100, 1000}, .content = Randn{.mean = 3, .std = 2}}));
  EXPECT_NEAR(m.mean, 3, 0.03);
  EXPECT_NEAR(m.std, 2, 0.03);
}

TEST(Generate, std_alone_is_applied) {
  EXPECT_NEAR(moments(values({.shape = {100000}, .content = Randn{.std = 5}})).std, 5, 0.06);
}

TEST(Generate, uniform_numbers_stay_in_the_half_open_range_in_every_float) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    for (const double x :
         values({.shape = {20000}, .dtype = dtype, .content = Uniform{.low = -1.0, .high = 0.0}})) {
      ASSERT_GE(x, -1.0);
      ASSERT_LT(x, 0.0);
    }
  }
}

TEST(Generate, uniform_integers_reach_both_ends) {
  std::vector<int> seen(4);
  for (const double x : values({.shape = {1000},
                                .dtype = DType::int32,
                                .content = Uniform{.low = -1.0, .high = 2.0}})) {
    ++seen.at(static_cast<std::size_t>(x + 1));
  }
  for (const int count : seen) EXPECT_GT(count, 200);
}

TEST(Generate, arange_runs_over_all_elements) {
  const auto numbers =
      values({.shape = {2, 3}, .dtype = DType::int16, .content = Arange{.start = 10, .step = -2}});
  EXPECT_EQ(numbers, (std::vector<double>{10, 8, 6, 4, 2, 0}));
}

TEST(Generate, full_and_literal_fill_exactly) {
  EXPECT_EQ(values({.shape = {2}, .dtype = DType::bfloat16, .content = Full{1.5}}),
            (std::vector<double>{1.5, 1.5}));
  EXPECT_EQ(values({.shape = {2}, .dtype = DType::uint8, .content = Literal{"\x01\x02"}}),
            (std::vector<double>{1, 2}));
}

TEST(Generate, same_seed_gives_the_same_numbers_and_another_seed_others) {
  const TensorArg tensor{.shape = {64}, .content = Randn{}};
  EXPECT_EQ(values(tensor, 5), values(tensor, 5));
  EXPECT_NE(values(tensor, 5), values(tensor, 6));
}

TEST(Seeds, equal_declared_seeds_match_across_contracts_and_rounds_differ) {
  const auto arg = [](std::string name, std::optional<std::int64_t> seed) {
    return Argument{.name = std::move(name),
                    .value = TensorArg{.shape = {4}, .content = Randn{.seed = seed}}};
  };
  const IoContract one{.args = {arg("a", 7), arg("b", std::nullopt), arg("c", std::nullopt)}};
  const IoContract two{.args = {arg("x", std::nullopt), arg("y", std::nullopt), arg("z", 7)}};
  const auto seeds1 = seeds_of(one, 99, 0);
  const auto seeds2 = seeds_of(two, 99, 0);
  EXPECT_EQ(seeds1[0], seeds2[2]);  // the declared seed
  EXPECT_EQ(seeds1[1], seeds2[0]);  // unseeded, by position
  EXPECT_EQ(seeds1[2], seeds2[1]);
  EXPECT_NE(seeds1[1], seeds1[2]);                // and different from each other
  EXPECT_NE(seeds1[0], seeds_of(one, 99, 1)[0]);  // fresh each round
  EXPECT_NE(seeds1[0], seeds_of(one, 98, 0)[0]);  // and by secret
}

}  // namespace
}  // namespace assay::tensor
