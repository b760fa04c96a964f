#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/dtype.hpp"

namespace assay::tensor {

/// Which accidents of an author's inputs are undone. A kernel must not rely on them.
enum class Widening : std::uint8_t {
  none,
  masks,  // that let everything pass, or nothing: an eighth of the elements is turned over
  all,    // and states that are zero, and numbers that are never negative
};

/// Whether a tensor is such a mask or state. One that measures (tensor/distribution.hpp) is not.
[[nodiscard]] bool is_widened(Widening widening, DType dtype, std::span<const std::byte> bytes);

/// Changes such a mask or state. A mask keeps to zeros and ones; a state gets numbers from 0 to
/// 1/2.
void widen(DType dtype, std::uint64_t seed, std::span<std::byte> bytes);

}  // namespace assay::tensor
