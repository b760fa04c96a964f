#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// A Python source that meets a contract.
struct ModelSource {
  std::string_view text;
  bool is_reference = true;  // of a file with `Model` and `ModelNew` the candidate runs the second
};

/// The names of the parameters of the model's `forward` in a Python source, without `self`. If
/// there is no model, those of the first function. Nothing if the text does not say: there is no
/// function, or it takes whatever comes.
[[nodiscard]] std::optional<std::vector<std::string>> forward_parameters(const ModelSource& model);

struct MatchedContracts {
  wire::Value kernel;  // as it was, with a seed for every random tensor
  wire::Value model;   // the same tensors, in the order of `forward`
};

/// The contract of a model beside a kernel with the contract `io`: the arguments that `forward`
/// takes, found by their names. Fails with `invalid_argument` if one side has an input that the
/// other lacks.
[[nodiscard]] Result<MatchedContracts> match_to_forward(const wire::Value& io,
                                                        const ModelSource& model);

/// The same where the model has a contract of its own. Tensors of one name are the same on both
/// sides. If the text does not say what `forward` takes, both stay as they are.
[[nodiscard]] Result<MatchedContracts> match_own_contract(const wire::Value& own,
                                                          const wire::Value& of_kernel,
                                                          const ModelSource& model);

}  // namespace assay::cli
