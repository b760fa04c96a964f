#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel.hpp"
#include "model/timing_summary.hpp"

namespace assay::judge {

/// The GPU kernels that a source defines or launches itself, by name.
class OwnKernels {
 public:
  explicit OwnKernels(const Kernel& kernel);

  [[nodiscard]] bool any() const { return all_ || !names_.empty(); }
  /// The origin of a kernel by its name in lists: "void scale<float>(float*)", "add_kernel",
  /// "[memset]".
  [[nodiscard]] KernelOrigin origin_of(std::string_view recorded) const;

 private:
  bool all_;  // a raw kernel: nothing but itself is launched
  std::set<std::string, std::less<>> names_;
};

/// What a call had the GPU do, by who wrote it.
struct WhatRan {
  double own = 0;                      // part of the time of all kernels, 0 to 1
  double library = 0;                  // the same
  std::vector<std::string> libraries;  // their kernels, those that take most first
};

/// Marks every kernel of the list with its origin.
WhatRan tell_origins(const OwnKernels& own, KernelTime& time);

/// Why the work was not done by kernels of the candidate's own; nothing where it was.
[[nodiscard]] std::optional<std::string> lacks_own_work(const WhatRan& ran);
/// The same of a source that has kernels of its own and hardly uses them.
[[nodiscard]] std::optional<std::string> decoy_complaint(const OwnKernels& own, const WhatRan& ran);

}  // namespace assay::judge
