#include "tensor/generate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <device_code/work.hpp>

#include "base/digest.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/bytes.hpp"
#include "tensor/kind.hpp"
#include "tensor/random_blocks.hpp"
#include "tensor/stretches.hpp"

namespace assay::tensor {
namespace {

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

/// The numbers of a tensor's content.
struct Numbers {
  DType dtype;
  std::uint64_t seed;

  work::GenerateTask operator()(const Full& full) const {
    return task(work::Content::steps, full.value, 0);
  }
  work::GenerateTask operator()(const Arange& arange) const {
    return task(work::Content::steps, arange.start, arange.step);
  }
  work::GenerateTask operator()(const Randn& randn) const {
    if (is_floating(dtype)) return task(work::Content::normal, randn.mean, randn.std);
    const auto [low, high] = integer_range(dtype);
    return integers(low, high);
  }
  work::GenerateTask operator()(const Uniform& uniform) const {
    if (dtype == DType::boolean) return integers(0, 1);
    const double low = uniform.low_or_default();
    const double high = uniform.high_or_default(dtype);
    return is_floating(dtype) ? task(work::Content::uniform, low, high) : integers(low, high);
  }
  template <class Given>
  work::GenerateTask operator()(const Given& /*bytes*/) const {
    return task(work::Content::steps, 0, 0);
  }

 private:
  [[nodiscard]] work::GenerateTask task(work::Content content, double first, double second) const {
    return {.array = nullptr,
            .count = 0,
            .kind = kind_of(dtype),
            .content = content,
            .first = first,
            .second = second,
            .seed = seed};
  }
  /// Uniform over the integers from low to high, both included.
  [[nodiscard]] work::GenerateTask integers(double low, double high) const {
    const double least = std::ceil(low);
    return task(work::Content::integers, least, std::floor(high) - least + 1.0);
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
  if (std::holds_alternative<Unspecified>(tensor.content)) return;
  if (const auto* literal = std::get_if<Literal>(&tensor.content)) {
    return copy_bytes(std::as_bytes(std::span(literal->bytes)), into);
  }
  auto task = std::visit(Numbers{.dtype = tensor.dtype, .seed = seed}, tensor.content);
  task.array = into.data();
  task.count = element_count(tensor.shape);
  if (Accelerator* const accelerator = accelerator_of({into}); accelerator != nullptr) {
    if (accelerator->run({.kernel = "assay_generate", .elements = task.count}, task)) return;
  }
  const std::size_t each = work::elements_of_block(task.content);
  in_stretches(task.count, [&](std::size_t, std::size_t from, std::size_t to) {
    // The last block may reach past the array.
    const std::size_t whole = task.content == work::Content::steps ? from / each : to / each;
    if (whole > from / each) make_random_blocks(task, from / each, whole);
    with_kind(tensor.dtype, [&](auto kind) {
      for (std::size_t block = whole; block * each < to; ++block) {
        work::generate_block(kind, task, block);
      }
    });
  });
}

}  // namespace assay::tensor
