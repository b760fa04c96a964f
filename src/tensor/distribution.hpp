#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/widening.hpp"

namespace assay::tensor {

/// How large the numbers are made.
enum class Spread : std::uint8_t { own, small, large, shifted, large_shifted };
/// How they lie to each other.
enum class Pattern : std::uint8_t {
  own,
  heavy_tailed,
  sparse,
  sorted,
  near_rows,
  ties,
  extremes,
};

/// Makes other inputs from the ones an author chose. If it changes numbers one by one, zeros stay
/// zeros and equal numbers stay equal. So a triangular or symmetric matrix stays one. Signs stay
/// too, unless all is widened.
struct Distribution {
  Pattern pattern = Pattern::own;
  Spread spread = Spread::own;
  Widening widening = Widening::none;
  bool apart = false;  // numbers that differ stay different, whatever the pattern

  [[nodiscard]] bool is_own() const { return *this == Distribution{}; }
  friend bool operator==(const Distribution&, const Distribution&) = default;
};

/// For people: "sparse, scaled by 6". Empty for the author's own.
[[nodiscard]] std::string describe(const Distribution& distribution);

/// One that `seed` chooses, which is never the author's own. Four choices in turn have all spreads,
/// and no pattern twice.
[[nodiscard]] Distribution choose_distribution(std::uint64_t seed, std::uint64_t choice = 0);

/// The nearest one whose numbers are no larger than the author's own; never the author's own.
[[nodiscard]] Distribution within_range(const Distribution& distribution);

/// Whether it makes numbers equal that differ.
[[nodiscard]] bool makes_ties(const Distribution& distribution);

/// Whether the tensor's numbers measure something. Masks, indices, one-hot rows and probabilities
/// do not: a kernel may rely on what they are.
[[nodiscard]] bool is_measure(DType dtype, const Shape& shape, std::span<const std::byte> bytes);

/// Whether all numbers of a tensor are at least zero, as far as a sample tells.
[[nodiscard]] bool is_never_negative(DType dtype, std::span<const std::byte> bytes);

/// Whether its rows are in ascending order, as far as the first ones tell, and do not only hold one
/// number. A kernel may rely on it: they may be the edges of bins.
[[nodiscard]] bool has_sorted_rows(DType dtype, const Shape& shape,
                                   std::span<const std::byte> bytes);

/// Puts each row in ascending order. Square matrices are left alone: they may be symmetric.
void sort_rows(DType dtype, const Shape& shape, std::span<std::byte> bytes);

/// Changes a tensor of numbers that measure. Sorted rows stay sorted.
void transform(const Distribution& distribution, DType dtype, const Shape& shape,
               std::uint64_t seed, std::span<std::byte> bytes);

/// Changes each number by up to this part of itself, up or down.
void shake(DType dtype, std::uint64_t seed, double relative, std::span<std::byte> bytes);

/// Changes the last bit of each number, up or down.
void nudge(DType dtype, std::uint64_t seed, std::span<std::byte> bytes);

}  // namespace assay::tensor
