#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// The names of the parameters of the model's `forward` in a Python source, without `self`. If
/// there is no model, those of the first function. Nothing if the text does not say: there is no
/// function, or it takes whatever comes.
[[nodiscard]] std::optional<std::vector<std::string>> forward_parameters(std::string_view source);

struct MatchedContracts {
  wire::Value candidate;  // as it was, with a seed for every random tensor
  wire::Value reference;  // the same tensors, in the order of `forward`
};

/// The contract of a Python reference for a kernel with the contract `io`: the arguments that
/// `forward` takes, found by their names. Fails with `invalid_argument` if one side has an input
/// that the other lacks.
[[nodiscard]] Result<MatchedContracts> match_to_forward(const wire::Value& io,
                                                        std::string_view reference_source);

}  // namespace assay::cli
