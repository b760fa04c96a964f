#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// Which launches of a call a request wants profiled; all of them where it says nothing.
struct KernelChoice {
  std::string name;             // an expression that the kernel's name has somewhere; empty: any
  std::optional<double> share;  // of the call's time on the GPU, at least
  bool first_of_each_grid = false;  // one launch of each kernel, grid and block

  [[nodiscard]] bool any() const { return !name.empty() || share || first_of_each_grid; }
};

/// Says what is wrong with an expression for names; nothing if it can be used. It may hold only
/// signs that mean the same to every tool, and none that can make matching slow.
[[nodiscard]] std::optional<std::string> mistake_in_expression(std::string_view expression);

/// Whether the expression stands somewhere in the name. False for a wrong expression.
[[nodiscard]] bool has_expression(const std::string& name, const std::string& expression);

}  // namespace assay
