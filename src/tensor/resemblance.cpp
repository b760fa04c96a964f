#include "tensor/resemblance.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <device_code/work.hpp>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/distribution.hpp"
#include "tensor/element.hpp"
#include "tensor/stretches.hpp"

namespace assay::tensor {
namespace {

using work::mixed;

// One element of so many stays; 0: a single one. A single one shows where answers are made element
// by element, many show where they are sums.
constexpr std::array<std::uint64_t, 3> kOneOf = {0, 64, 8};

bool may_be_mixed(DType dtype, const Shape& shape, std::span<const std::byte> bytes) {
  const std::size_t rank = shape.size();
  if (rank >= 2 && shape[rank - 1] == shape[rank - 2]) return false;
  if (!is_measure(dtype, shape, bytes)) return false;
  constexpr std::size_t kLook = 4096;
  const std::size_t width = rank == 0 ? 1 : static_cast<std::size_t>(shape.back());
  const auto row =
      bytes.first(std::min({bytes.size() / size_of(dtype), width, kLook}) * size_of(dtype));
  return width < 3 || !std::ranges::is_sorted(every_nth(dtype, row, 1));
}

}  // namespace

void resemble(DType dtype, const Shape& shape, std::uint64_t seed,
              std::span<const std::byte> before, std::span<std::byte> bytes) {
  if (before.size() != bytes.size() || !may_be_mixed(dtype, shape, bytes)) return;
  const std::size_t element = size_of(dtype);
  const std::size_t count = bytes.size() / element;
  const std::uint64_t one_of = kOneOf[mixed(seed, 1) % kOneOf.size()];
  const std::uint64_t single = mixed(seed, 2) % count;
  in_stretches(count, [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const bool stays = one_of == 0 ? i == single : mixed(i, seed) % one_of == 0;
      if (!stays) std::memcpy(bytes.data() + i * element, before.data() + i * element, element);
    }
  });
}

}  // namespace assay::tensor
