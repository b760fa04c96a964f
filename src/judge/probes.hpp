#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/compare.hpp"

namespace assay::judge {

/// An answer that is no work: nothing of the expected one but its shape.
enum class Shortcut : std::uint8_t { zeros, constant, copy_of_input, lower_precision };

[[nodiscard]] std::string_view to_string(Shortcut shortcut);

/// Which shortcuts would pass for `want` under `limit`. `inputs` are those of the round.
[[nodiscard]] std::vector<Shortcut> passing_shortcuts(const OutputView& want, const Limit& limit,
                                                      const std::vector<OutputView>& inputs);

/// Whether all elements are finite, or as many as statistics need.
[[nodiscard]] bool are_finite(const std::vector<OutputView>& views);

/// Whether every element of `got` agrees with `want`. Stops at the first that does not.
[[nodiscard]] bool agrees_throughout(const OutputView& got, const OutputView& want,
                                     const Limit& limit);

/// What is wrong with an answer whose elements are all the same, if the expected ones differ by
/// more than `noise`. Whatever the tolerance, such an answer was not computed.
[[nodiscard]] std::optional<std::string> constant_complaint(const OutputView& got,
                                                            const OutputView& want, double noise);

}  // namespace assay::judge
