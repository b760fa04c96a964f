#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "judge/compare.hpp"
#include "model/dtype.hpp"

namespace assay::judge {

/// How indices may count the elements of an input: along one of its dimensions. Element `at` of a
/// line lies `inner` elements behind the one before.
struct Counted {
  std::size_t input;
  std::size_t outer;
  std::size_t length;
  std::size_t inner;
};

/// The ways to count in which two answers of indices point at equal numbers of an input wherever
/// they differ: of equal numbers any may be the largest, and any may come first. An index that is
/// given twice in a line is no tie.
[[nodiscard]] std::vector<Counted> ties_in(const OutputView& got, const OutputView& want,
                                           const std::vector<OutputView>& inputs);

/// Whether a line of indices has one twice, where the lines of `want` have none twice. No edge of
/// the reference explains that, although each of its elements by itself may lie at one.
[[nodiscard]] bool has_index_twice(const OutputView& got, const OutputView& want);

enum class Order : std::uint8_t { descending, ascending };

/// Writes other numbers into an input, so that there are no equal ones, and the indices name those
/// that come first. False if the dtype has too few numbers, or if an index lies outside.
[[nodiscard]] bool put_in_order(const OutputView& indices, const Counted& counted, Order order,
                                DType dtype, std::span<std::byte> input);

}  // namespace assay::judge
