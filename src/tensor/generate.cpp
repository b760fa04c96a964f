#include "tensor/generate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/element_of.hpp"
#include "tensor/philox.hpp"
#include "tensor/stretches.hpp"

namespace assay::tensor {
namespace {

constexpr double kTwoTo32 = 4294967296.0;
constexpr double kTwoTo53 = 9007199254740992.0;

std::uint64_t derive(std::string_view purpose, std::uint64_t secret, int round,
                     std::uint64_t value) {
  const std::array<std::uint64_t, 3> fields = {secret, static_cast<std::uint64_t>(round), value};
  const Digest digest = Hasher().field(purpose).raw(std::as_bytes(std::span(fields))).finish();
  std::uint64_t seed = 0;
  std::memcpy(&seed, digest.bytes.data(), sizeof seed);
  return seed;
}

/// The smallest and largest value of random integers. 64-bit ones stay within a million, as in
/// the compatible API: products of full-range values would overflow in every kernel.
std::pair<double, double> integer_range(DType dtype) {
  switch (dtype) {
    case DType::int64:
      return {-1e6, 1e6};
    case DType::uint64:
      return {0, 1e6};
    case DType::int32:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case DType::uint32:
      return {0, std::numeric_limits<std::uint32_t>::max()};
    case DType::int16:
      return {std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()};
    case DType::uint16:
      return {0, std::numeric_limits<std::uint16_t>::max()};
    case DType::int8:
      return {-128, 127};
    case DType::uint8:
      return {0, 255};
    default:
      return {0, 1};
  }
}

/// In [0, 1), with 53 random bits.
double unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 21U) ^ (low >> 11U);
  return static_cast<double>(bits & ((std::uint64_t{1} << 53U) - 1)) / kTwoTo53;
}

template <class Element>
void fill_normal(Element element, const Randn& randn, std::uint64_t seed, std::byte* into,
                 std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; i += 4) {
    const auto bits = philox(seed, i / 4);
    for (std::size_t pair = 0; pair < 2 && i + 2 * pair < to; ++pair) {
      const double u = (static_cast<double>(bits[2 * pair]) + 0.5) / kTwoTo32;
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(bits[2 * pair + 1]) / kTwoTo32;
      const double radius = randn.std * std::sqrt(-2.0 * std::log(u));
      const std::size_t at = i + 2 * pair;
      element.write(into, at, randn.mean + radius * std::cos(angle));
      if (at + 1 < to) element.write(into, at + 1, randn.mean + radius * std::sin(angle));
    }
  }
}

/// Calls `use(i, u)` for each element with u uniform in [0, 1).
template <class Use>
void for_each_unit(std::uint64_t seed, std::size_t from, std::size_t to, const Use& use) {
  for (std::size_t i = from; i < to; i += 2) {
    const auto bits = philox(seed, i / 2);
    use(i, unit(bits[0], bits[1]));
    if (i + 1 < to) use(i + 1, unit(bits[2], bits[3]));
  }
}

struct Fill {
  const TensorArg& tensor;
  std::uint64_t seed;
  std::span<std::byte> into;
  std::size_t count;

  void operator()(const Unspecified&) const {}
  void operator()(const Literal& literal) const {
    std::memcpy(into.data(), literal.bytes.data(), std::min(into.size(), literal.bytes.size()));
  }
  void operator()(const Full& full) const {
    each([&](std::size_t) { return full.value; });
  }
  void operator()(const Arange& arange) const {
    each([&](std::size_t i) { return arange.start + static_cast<double>(i) * arange.step; });
  }
  void operator()(const Randn& randn) const {
    if (!is_floating(tensor.dtype)) {
      const auto [low, high] = integer_range(tensor.dtype);
      return integers(low, high);
    }
    with_element(tensor.dtype, [&](auto element) {
      in_stretches(count, [&](std::size_t, std::size_t from, std::size_t to) {
        fill_normal(element, randn, seed, into.data(), from, to);
      });
    });
  }
  void operator()(const Uniform& uniform) const {
    if (tensor.dtype == DType::boolean) return integers(0, 1);
    const double low = uniform.low_or_default();
    const double high = uniform.high_or_default(tensor.dtype);
    is_floating(tensor.dtype) ? floats(low, high) : integers(low, high);
  }

 private:
  template <class ValueOf>
  void each(const ValueOf& value_of) const {
    with_element(tensor.dtype, [&](auto element) {
      in_stretches(count, [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) element.write(into.data(), i, value_of(i));
      });
    });
  }
  /// Uniform over the integers from low to high, both included.
  void integers(double low, double high) const {
    const double least = std::ceil(low);
    const double span = std::floor(high) - least + 1.0;
    each_unit([&](auto element, std::size_t i, double u) {
      element.write(into.data(), i, least + std::floor(u * span));
    });
  }
  void floats(double low, double high) const {
    each_unit([&](auto element, std::size_t i, double u) {
      element.write(into.data(), i, low + u * (high - low));
      // Rounding to a narrow format can reach the open end.
      if (low < high && element.read(into.data(), i) >= high) element.write(into.data(), i, low);
    });
  }
  template <class Use>
  void each_unit(const Use& use) const {
    with_element(tensor.dtype, [&](auto element) {
      in_stretches(count, [&](std::size_t, std::size_t from, std::size_t to) {
        for_each_unit(seed, from, to, [&](std::size_t i, double u) { use(element, i, u); });
      });
    });
  }
};

/// Random contents declare their seed, if any, in the same place.
struct DeclaredSeed {
  bool random = false;
  std::optional<std::int64_t> seed;
};

DeclaredSeed declared_seed(const TensorContent& content) {
  if (const auto* randn = std::get_if<Randn>(&content))
    return {.random = true, .seed = randn->seed};
  if (const auto* uniform = std::get_if<Uniform>(&content))
    return {.random = true, .seed = uniform->seed};
  return {};
}

}  // namespace

std::uint64_t seed_for(std::uint64_t secret, int round, std::int64_t declared) {
  return derive("declared", secret, round, static_cast<std::uint64_t>(declared));
}

std::uint64_t seed_for_unseeded(std::uint64_t secret, int round, std::size_t ordinal) {
  return derive("position", secret, round, ordinal);
}

std::vector<std::uint64_t> seeds_of(const IoContract& contract, std::uint64_t secret, int round) {
  std::vector<std::uint64_t> seeds;
  std::size_t unseeded = 0;
  for (const Argument& argument : contract.args) {
    std::uint64_t seed = 0;
    if (const auto* tensor = std::get_if<TensorArg>(&argument.value)) {
      const DeclaredSeed declared = declared_seed(tensor->content);
      if (declared.seed) {
        seed = seed_for(secret, round, *declared.seed);
      } else if (declared.random) {
        seed = seed_for_unseeded(secret, round, unseeded++);
      }
    }
    seeds.push_back(seed);
  }
  return seeds;
}

void generate(const TensorArg& tensor, std::uint64_t seed, std::span<std::byte> into) {
  std::visit(
      Fill{.tensor = tensor, .seed = seed, .into = into, .count = element_count(tensor.shape)},
      tensor.content);
}

}  // namespace assay::tensor
