#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// The names of what `forward` of the model in a Python source takes, `self` left out; where there
/// is no model, those of the first function. Nothing where the text does not say: no function, or
/// one that takes whatever comes.
[[nodiscard]] std::optional<std::vector<std::string>> forward_parameters(std::string_view source);

struct MatchedContracts {
  wire::Value candidate;  // as it was, with a seed for every random tensor
  wire::Value reference;  // the same tensors, in the order of `forward`
};

/// The contract of a Python reference that a kernel with the contract `io` is held against: the
/// arguments that `forward` takes, found by their names. Fails with `invalid_argument` where one
/// side has an input that the other has not.
[[nodiscard]] Result<MatchedContracts> match_to_forward(const wire::Value& io,
                                                        std::string_view reference_source);

}  // namespace assay::cli
