#include "gate/scene_check.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <device_code/scene.hpp>
#include <gtest/gtest.h>

#include "gate/device_code.hpp"
#include "model/dtype.hpp"
#include "model/runner_protocol.hpp"

namespace assay::gate {
namespace {

template <class T>
std::vector<T> varied(InputVariation how, const std::vector<T>& values, std::uint64_t early,
                      std::uint64_t late, scene::Strength strength = scene::Strength::gentle) {
  std::vector<T> result(values.size());
  vary(how, strength, std::as_bytes(std::span(values)), std::as_writable_bytes(std::span(result)),
       {.early = early, .late = late});
  return result;
}

std::vector<float> many_floats() {
  std::vector<float> values;
  for (int i = 0; i < 10000; ++i) values.push_back(std::sin(static_cast<float>(i)) * 3);
  return values;
}

TEST(Variation, changes_nearly_every_plain_number_and_none_by_much) {
  const auto values = many_floats();
  const auto other = varied(InputVariation::float32, values, 1, 2);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    changed += values[i] != other[i] ? 1U : 0U;
    EXPECT_LE(std::abs(values[i] - other[i]), std::abs(values[i]) / 1024);
  }
  EXPECT_GT(changed, values.size() * 99 / 100);
  EXPECT_GT(varied_part(InputVariation::float32, std::as_bytes(std::span(values))), 0.99);
}

TEST(Variation, halves_a_quarter_of_the_numbers_where_it_is_strong) {
  const auto values = many_floats();
  const auto other = varied(InputVariation::float32, values, 1, 2, scene::Strength::strong);
  std::size_t halved = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::signbit(values[i]), std::signbit(other[i]));
    EXPECT_LE(std::abs(other[i]), std::abs(values[i]) * 1.001F);
    EXPECT_GE(std::abs(other[i]), std::abs(values[i]) * 0.499F);
    halved += std::abs(other[i]) < std::abs(values[i]) * 0.7F ? 1U : 0U;
  }
  EXPECT_GT(halved, values.size() / 5);
  EXPECT_LT(halved, values.size() * 3 / 10);
}

TEST(Variation, leaves_numbers_that_mean_something) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0.0F, -0.0F, 1.0F, -2.0F, 0.5F, 1024.0F, infinity, -infinity};
  EXPECT_EQ(varied(InputVariation::float32, values, 1, 2), values);
  EXPECT_EQ(varied(InputVariation::float32, values, 1, 2, scene::Strength::strong), values);
  EXPECT_EQ(varied_part(InputVariation::float32, std::as_bytes(std::span(values))), 0);
  EXPECT_EQ(varied_part(InputVariation::copied, std::as_bytes(std::span(values))), 0);
}

TEST(Variation, never_makes_a_number_infinite_or_nan) {
  std::vector<std::uint16_t> halves;
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    halves.push_back(static_cast<std::uint16_t>(bits));
  }
  for (const std::uint16_t bits :
       varied(InputVariation::float16, halves, 3, 4, scene::Strength::strong)) {
    EXPECT_LT(bits, 0x7C00);
  }
}

TEST(Variation, writes_late_lines_by_the_late_seed_alone) {
  const auto values = many_floats();
  const auto one = varied(InputVariation::float32, values, 1, 2);
  const auto other_early = varied(InputVariation::float32, values, 9, 2);
  std::size_t late = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!scene::is_late(i * sizeof(float))) continue;
    ++late;
    EXPECT_EQ(one[i], other_early[i]);
  }
  EXPECT_TRUE(scene::is_late(0));  // however small an input is, some of it comes late
  EXPECT_GT(late, values.size() / 64);
  EXPECT_LT(late, values.size() / 16);
}

TEST(Variation, is_for_floats_alone) {
  EXPECT_EQ(variation_of(DType::float32), InputVariation::float32);
  EXPECT_EQ(variation_of(DType::bfloat16), InputVariation::bfloat16);
  EXPECT_EQ(variation_of(DType::int32), InputVariation::copied);
  EXPECT_EQ(variation_of(DType::boolean), InputVariation::copied);
}

TEST(Fingerprint, differs_where_an_element_a_place_or_the_key_does) {
  std::vector<float> values = many_floats();
  const auto of = [](const std::vector<float>& v, std::uint64_t key) {
    return fingerprint(std::as_bytes(std::span(v)), sizeof(float), key, 0);
  };
  const std::uint64_t before = of(values, 1);
  EXPECT_EQ(of(values, 1), before);
  EXPECT_NE(of(values, 2), before);
  std::swap(values[3], values[4]);
  EXPECT_NE(of(values, 1), before);
  std::swap(values[3], values[4]);
  values[5] = std::nextafter(values[5], 9.0F);
  EXPECT_NE(of(values, 1), before);
}

TEST(Fingerprint, of_several_outputs_is_the_sum_over_their_places) {
  const auto values = many_floats();
  const auto bytes = std::as_bytes(std::span(values));
  const auto half = bytes.size() / 2;
  EXPECT_EQ(fingerprint(bytes, 4, 5, 0),
            fingerprint(bytes.first(half), 4, 5, 0) +
                fingerprint(bytes.subspan(half), 4, 5, values.size() / 2));
}

TEST(Seal, binds_every_entry_and_its_order) {
  std::vector<scene::Entry> entries{{1, 2, 3}, {4, 5, 6}};
  const std::uint64_t seal = seal_of(7, entries);
  EXPECT_NE(seal_of(8, entries), seal);
  std::swap(entries[0], entries[1]);
  EXPECT_NE(seal_of(7, entries), seal);
  std::swap(entries[0], entries[1]);
  entries[1].sweep = 9;
  EXPECT_NE(seal_of(7, entries), seal);
}

TEST(DeviceCode, is_one_source_without_includes) {
  for (const DeviceModule& module : kDeviceModules) {
    const std::string source = source_of(module);
    EXPECT_EQ(source.find("#include"), std::string::npos);
    EXPECT_NE(source.find(module.entry), std::string::npos);
    EXPECT_NE(source.find("Wide early_seed"), std::string::npos);
    EXPECT_EQ(source.find("using Wide"), source.rfind("using Wide"));
  }
}

}  // namespace
}  // namespace assay::gate
