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

/// The names of the kernels of a CUDA source, in its order, without those that conditionals leave
/// out. Of overloads one.
[[nodiscard]] std::vector<std::string> kernel_names(std::string_view source);

/// The signature of the kernel that `name` names, or of the only kernel of a CUDA source. If that
/// is none or more than one, it fails with `invalid_argument` and names the kernels there are. Of a
/// template `name` must be an instance: "scale<float>".
[[nodiscard]] Result<KernelSignature> kernel_signature(std::string_view source,
                                                       const std::optional<std::string>& name);

}  // namespace assay::compile
