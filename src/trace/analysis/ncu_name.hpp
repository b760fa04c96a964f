#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

/// A kernel's name in a form that ncu can be asked for. Profilers spell template arguments
/// differently ("(int)4", "4", "4ul"; "(bool)1", "true"), and function arguments even more so. All
/// spell two things alike: the identifier, and the words between its angle brackets, in order.
class NcuName {
 public:
  /// Asks for as many words as tell the kernel from `others`, kernels of the same program. Without
  /// others it asks for all words. Few words keep the expression fast: each may stand anywhere
  /// after the last.
  explicit NcuName(std::string_view name, const std::vector<std::string_view>& others = {});

  /// What `--kernel-name-base` must be.
  [[nodiscard]] std::string_view base() const { return mangled_ ? "mangled" : "demangled"; }
  /// What `--kernel-name regex:` takes.
  [[nodiscard]] const std::string& regex() const { return regex_; }
  /// Whether the expression fits a kernel of this name, in any spelling.
  [[nodiscard]] bool fits(std::string_view name) const;

 private:
  bool mangled_ = false;
  std::string whole_;               // a name that has one spelling: no arguments of any kind
  std::string identifier_;          // without it
  std::vector<std::string> words_;  // of the template arguments
  std::string regex_;
};

/// `name` with the signs of regular expressions escaped.
[[nodiscard]] std::string regex_escaped(std::string_view name);

}  // namespace assay::trace
