#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <device_code/scene.hpp>

#include "model/dtype.hpp"
#include "model/runner_protocol.hpp"

namespace assay::gate {

/// How elements of a type are varied. Integers and booleans stay, because they may have a meaning.
[[nodiscard]] InputVariation variation_of(DType dtype);

/// The seeds for the contents of one call: for what is written before the cache is swept, and for
/// what is written after.
struct Seeds {
  std::uint64_t early = 0;
  std::uint64_t late = 0;
};

/// What the GPU makes of an input for one call: `from` and `to` have the same size.
void vary(InputVariation how, scene::Strength strength, std::span<const std::byte> from,
          std::span<std::byte> to, Seeds seeds);

/// Which part of the elements differs from call to call, from 0 to 1. For large inputs only the
/// first elements are looked at.
[[nodiscard]] double varied_part(InputVariation how, std::span<const std::byte> bytes);

/// Whether floats of that format hold neither infinities nor NaN.
[[nodiscard]] bool all_finite(InputVariation format, std::span<const std::byte> bytes);

/// What an output adds to the fingerprint of its call. `first_place` counts the elements of the
/// outputs before it.
[[nodiscard]] std::uint64_t fingerprint(std::span<const std::byte> bytes, std::size_t element_size,
                                        std::uint64_t key, std::uint64_t first_place);

/// What the GPU writes when a round is through.
[[nodiscard]] std::uint64_t seal_of(std::uint64_t key, std::span<const scene::Entry> entries);

}  // namespace assay::gate
