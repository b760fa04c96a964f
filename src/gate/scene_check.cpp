#include "gate/scene_check.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <device_code/scene.hpp>
#include <device_code/work.hpp>

#include "base/parallel.hpp"
#include "model/dtype.hpp"
#include "model/runner_protocol.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/bytes.hpp"

namespace assay::gate {
namespace {

/// Calls `task(first, end)` for stretches of the elements, several at a time.
template <class Task>
void in_stretches(std::size_t elements, const Task& task) {
  constexpr std::size_t kStretch = std::size_t{1} << 17U;
  constexpr std::size_t kMostThreads = 8;
  in_parallel((elements + kStretch - 1) / kStretch, kMostThreads, [&](std::size_t stretch) {
    task(stretch * kStretch, std::min(elements, (stretch + 1) * kStretch));
  });
}

template <class Bits>
Bits read(std::span<const std::byte> bytes, std::size_t index) {
  Bits bits;
  std::memcpy(&bits, bytes.data() + index * sizeof(Bits), sizeof(Bits));
  return bits;
}

}  // namespace

InputVariation variation_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return InputVariation::float32;
    case DType::float64:
      return InputVariation::float64;
    case DType::float16:
      return InputVariation::float16;
    case DType::bfloat16:
      return InputVariation::bfloat16;
    default:
      return InputVariation::copied;
  }
}

void vary(InputVariation how, scene::Strength strength, std::span<const std::byte> from,
          std::span<std::byte> to, Seeds seeds) {
  if (how == InputVariation::copied) return tensor::copy_bytes(from, to);
  const work::VaryTask task{.to = to.data(),
                            .from = from.data(),
                            .count = from.size() / element_size_of(how),
                            .how = static_cast<scene::Variation>(how),
                            .strength = strength,
                            .early = seeds.early,
                            .late = seeds.late};
  if (auto* const accelerator = tensor::accelerator_of({from, to})) {
    if (accelerator->run({.kernel = "assay_vary_all", .elements = task.count}, task)) return;
  }
  in_stretches(task.count, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) work::vary_element(task, i);
  });
}

double varied_part(InputVariation how, std::span<const std::byte> bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 16U;  // bytes looked at; whole elements of all
  const tensor::Readable first(bytes.first(std::min(bytes.size(), kMost)));
  const auto looked_at = first.bytes();
  if (how == InputVariation::copied || looked_at.empty()) return 0;
  std::vector<std::byte> other(looked_at.size());
  vary(how, scene::Strength::gentle, looked_at, other, {.early = 1, .late = 2});
  const std::size_t size = element_size_of(how);
  std::size_t changed = 0;
  for (std::size_t i = 0; i + size <= looked_at.size(); i += size) {
    changed += std::memcmp(looked_at.data() + i, other.data() + i, size) != 0 ? 1U : 0U;
  }
  return static_cast<double>(changed * size) / static_cast<double>(looked_at.size());
}

bool all_finite(InputVariation format, std::span<const std::byte> bytes) {
  const tensor::Readable readable(bytes);
  const auto none_has = [&]<class Bits>(Bits exponent) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(Bits); ++i) {
      if ((read<Bits>(readable.bytes(), i) & exponent) == exponent) return false;
    }
    return true;
  };
  switch (format) {
    case InputVariation::float32:
      return none_has(scene::Word{0x7F800000U});
    case InputVariation::float64:
      return none_has(scene::Wide{0x7FF0000000000000ULL});
    case InputVariation::float16:
      return none_has(static_cast<unsigned short>(0x7C00U));
    case InputVariation::bfloat16:
      return none_has(static_cast<unsigned short>(0x7F80U));
    case InputVariation::copied:
      break;
  }
  return true;
}

std::uint64_t fingerprint(std::span<const std::byte> bytes, std::size_t element_size,
                          std::uint64_t key, std::uint64_t first_place) {
  const work::FingerprintTask task{.array = bytes.data(),
                                   .count = bytes.size() / element_size,
                                   .element_size = static_cast<both::Word>(element_size),
                                   .key = key,
                                   .first_place = first_place};
  if (auto* const accelerator = tensor::accelerator_of({bytes})) {
    std::array<both::Wide, 1> sum{};
    if (accelerator->run({.kernel = "assay_sum_hashes", .elements = task.count}, task,
                         std::span<both::Wide>(sum))) {
      return sum[0];
    }
  }
  std::atomic<std::uint64_t> sum = 0;
  in_stretches(task.count, [&](std::size_t first, std::size_t end) {
    std::uint64_t mine = 0;
    for (std::size_t i = first; i < end; ++i) mine += work::hash_element(task, i);
    sum += mine;
  });
  return sum;
}

std::uint64_t seal_of(std::uint64_t key, std::span<const scene::Entry> entries) {
  std::uint64_t seal = key;
  for (const scene::Entry& entry : entries) seal = scene::sealed(seal, entry);
  return seal;
}

}  // namespace assay::gate
