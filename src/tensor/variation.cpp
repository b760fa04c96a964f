#include "tensor/variation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <device_code/work.hpp>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/distribution.hpp"
#include "tensor/element.hpp"
#include "tensor/stretches.hpp"

namespace assay::tensor {
namespace {

using work::mixed;

constexpr double kMost = 0.25;  // of a number

/// Of a row and the column of the same number. The product of two is within kMost of one.
double factor_of(std::uint64_t seed, std::size_t row) {
  const double part = static_cast<double>(mixed(row, seed) >> 11U) * 0x1p-52 - 1;  // -1 to 1
  return std::sqrt(1 + kMost * part);
}

void vary_matrices(DType dtype, std::size_t width, std::uint64_t seed, std::span<std::byte> bytes) {
  if (size_of(dtype) == 1) return;
  std::vector<double> factors(width);
  for (std::size_t i = 0; i < width; ++i) factors[i] = factor_of(seed, i);
  in_stretches(bytes.size() / size_of(dtype), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const double factor = factors[i / width % width] * factors[i % width];
      write_element(dtype, bytes, i, read_element(dtype, bytes, i) * factor);
    }
  });
}

bool may_change_places(DType dtype, std::size_t width, std::span<const std::byte> bytes) {
  const auto values = every_nth(dtype, bytes, 1);
  if (std::ranges::any_of(values, [](double value) { return value < 0; })) return false;
  for (std::size_t row = 0; row < values.size(); row += width) {
    const std::span<const double> in_row(values.data() + row, width);
    if (std::ranges::is_sorted(in_row) || std::ranges::is_sorted(in_row, std::ranges::greater())) {
      return false;
    }
  }
  return true;
}

void shuffle_rows(DType dtype, std::size_t width, std::uint64_t seed, std::span<std::byte> bytes) {
  const std::size_t size = size_of(dtype);
  for (std::size_t row = 0; row < bytes.size() / size; row += width) {
    for (std::size_t left = width; left > 1; --left) {
      std::byte* const last = bytes.data() + (row + left - 1) * size;
      std::swap_ranges(last, last + size,
                       bytes.data() + (row + mixed(row + left, seed) % left) * size);
    }
  }
}

}  // namespace

void vary(DType dtype, const Shape& shape, std::uint64_t seed, std::span<std::byte> bytes) {
  const std::size_t rank = shape.size();
  if (bytes.empty() || dtype == DType::boolean) return;
  if (is_floating(dtype)) {
    if (!is_measure(dtype, shape, bytes)) return;
    const bool was_sorted = has_sorted_rows(dtype, shape, bytes);
    if (rank >= 2 && shape[rank - 1] == shape[rank - 2]) {
      vary_matrices(dtype, static_cast<std::size_t>(shape.back()), seed, bytes);
    } else {
      shake(dtype, seed, kMost, bytes);
    }
    if (was_sorted) sort_rows(dtype, shape, bytes);
    return;
  }
  const std::size_t count = bytes.size() / size_of(dtype);
  const std::size_t width =
      rank > 0 && shape.back() > 1 ? static_cast<std::size_t>(shape.back()) : count;
  if (may_change_places(dtype, width, bytes)) shuffle_rows(dtype, width, seed, bytes);
}

}  // namespace assay::tensor
