#include "tensor/widening.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <device_code/work.hpp>

#include "model/dtype.hpp"
#include "tensor/bytes.hpp"
#include "tensor/element.hpp"
#include "tensor/stretches.hpp"

namespace assay::tensor {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;  // the processor goes over them
constexpr std::size_t kFewestOfMask = 16;                   // elements: fewer may be a switch
constexpr std::size_t kFewestOfState = 2;
constexpr std::uint64_t kOneIn = 8;

enum class Fill : std::uint8_t { other, zeros, ones };

Fill fill_of(DType dtype, std::span<const std::byte> bytes) {
  const std::size_t size = size_of(dtype);
  if (bytes.size() < kFewestOfState * size || bytes.size() > kMostBytes) return Fill::other;
  const Readable readable(bytes);
  const double first = read_element(dtype, readable.bytes(), 0);
  if (first != 0 && first != 1) return Fill::other;
  // Each byte is the one that lies an element before it.
  if (std::memcmp(readable.bytes().data(), readable.bytes().data() + size, bytes.size() - size) !=
      0) {
    return Fill::other;
  }
  return first == 0 ? Fill::zeros : Fill::ones;
}

}  // namespace

bool is_widened(Widening widening, DType dtype, std::span<const std::byte> bytes) {
  if (widening == Widening::none) return false;
  const Fill fill = fill_of(dtype, bytes);
  if (fill == Fill::other) return false;
  if (fill == Fill::zeros && is_floating(dtype)) return widening == Widening::all;
  const bool is_mask = fill == Fill::ones || dtype == DType::boolean;  // zeros may be indices
  return is_mask && bytes.size() >= kFewestOfMask * size_of(dtype);
}

void widen(DType dtype, std::uint64_t seed, std::span<std::byte> bytes) {
  const bool is_state = is_floating(dtype) && read_element(dtype, bytes, 0) == 0;
  in_stretches(bytes.size() / size_of(dtype), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::uint64_t chance = work::mixed(i, seed);
      if (is_state) {
        write_element(dtype, bytes, i, static_cast<double>(chance >> 11U) * 0x1p-54);
      } else if (chance % kOneIn == 0) {
        write_element(dtype, bytes, i, 1 - read_element(dtype, bytes, i));
      }
    }
  });
}

}  // namespace assay::tensor
