#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/dtype.hpp"

namespace assay::compile {

struct KernelParameter {
  std::string name;            // empty where the source gives none
  std::string type;            // as it is written: "const float *"
  std::optional<DType> dtype;  // of the value, or of what is pointed at; absent: not one of ours
  bool is_pointer = false;
  bool is_const = false;  // what is pointed at
};

struct KernelSignature {
  std::string name;
  std::vector<KernelParameter> parameters;
};

/// The signature of the kernel that `name` names, or of the only kernel of a CUDA source. If that
/// is none or more than one, it fails with `invalid_argument` and names the kernels there are.
[[nodiscard]] Result<KernelSignature> kernel_signature(std::string_view source,
                                                       const std::optional<std::string>& name);

}  // namespace assay::compile
