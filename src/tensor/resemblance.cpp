#include "tensor/resemblance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <device_code/work.hpp>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/bytes.hpp"
#include "tensor/distribution.hpp"
#include "tensor/element.hpp"
#include "tensor/stretches.hpp"

namespace assay::tensor {
namespace {

using work::mixed;

/// Which elements stay. A single one shows where answers are made element by element, many show
/// where they are sums; those that lie together leave most rows as they were.
enum class Kept : std::uint8_t { single, scattered, together };
constexpr std::array kAllKept = {Kept::single, Kept::scattered, Kept::together};
constexpr std::uint64_t kScattered = 64;  // one of so many
constexpr std::size_t kTogether = 8;      // such a part

class Choice {
 public:
  Choice(std::size_t count, std::uint64_t seed)
      : kept_(kAllKept[mixed(seed, 1) % kAllKept.size()]),
        seed_(seed),
        size_(kept_ == Kept::together ? std::max<std::size_t>(count / kTogether, 1) : 1),
        first_(mixed(seed, 2) % (count - size_ + 1)) {}

  [[nodiscard]] bool stays(std::size_t i) const {
    if (i >= first_ && i < first_ + size_) return true;  // one at least
    return kept_ == Kept::scattered && mixed(i, seed_) % kScattered == 0;
  }

 private:
  Kept kept_;
  std::uint64_t seed_;
  std::size_t size_;
  std::size_t first_;
};

/// Of a square matrix, as far as its first rows tell. One that is triangular is not: its zeros stay
/// where they are.
bool may_be_symmetric(DType dtype, std::size_t width, std::span<const std::byte> bytes) {
  constexpr std::size_t kMostRows = 64;
  const std::size_t rows = std::min(width, kMostRows);
  const Readable first(bytes.first(rows * width * size_of(dtype)));
  const auto size_at = [&](std::size_t row, std::size_t column) {
    return std::abs(read_element(dtype, first.bytes(), row * width + column));
  };
  for (std::size_t row = 1; row < rows; ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      if (size_at(row, column) != size_at(column, row)) return false;
    }
  }
  return true;
}

bool may_be_mixed(DType dtype, const Shape& shape, std::span<const std::byte> bytes) {
  const std::size_t rank = shape.size();
  if (!is_measure(dtype, shape, bytes)) return false;
  if (rank >= 2 && shape[rank - 1] == shape[rank - 2] &&
      may_be_symmetric(dtype, static_cast<std::size_t>(shape.back()), bytes)) {
    return false;
  }
  constexpr std::size_t kMostLooked = 4096;
  const std::size_t width = rank == 0 ? 1 : static_cast<std::size_t>(shape.back());
  const auto row =
      bytes.first(std::min({bytes.size() / size_of(dtype), width, kMostLooked}) * size_of(dtype));
  return width < 3 || !std::ranges::is_sorted(every_nth(dtype, row, 1));
}

}  // namespace

void resemble(DType dtype, const Shape& shape, std::uint64_t seed,
              std::span<const std::byte> before, std::span<std::byte> bytes) {
  if (before.size() != bytes.size() || !may_be_mixed(dtype, shape, bytes)) return;
  const std::size_t element = size_of(dtype);
  const std::size_t count = bytes.size() / element;
  const Choice choice(count, seed);
  in_stretches(count, [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (!choice.stays(i))
        std::memcpy(bytes.data() + i * element, before.data() + i * element, element);
    }
  });
}

}  // namespace assay::tensor
