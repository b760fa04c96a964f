#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/names.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

/// What a kernel does, as far as its name tells.
enum class OpClass : std::uint8_t {
  gemm,
  convolution,
  attention,
  softmax,
  norm,
  elementwise,
  reduction,
  copy,
  optimizer,
  communication,
  other,
};

inline constexpr NameTable<OpClass, 11> kOpClassNames = {{
    {OpClass::gemm, "gemm"},
    {OpClass::convolution, "convolution"},
    {OpClass::attention, "attention"},
    {OpClass::softmax, "softmax"},
    {OpClass::norm, "norm"},
    {OpClass::elementwise, "elementwise"},
    {OpClass::reduction, "reduction"},
    {OpClass::copy, "copy"},
    {OpClass::optimizer, "optimizer"},
    {OpClass::communication, "communication"},
    {OpClass::other, "other"},
}};

constexpr std::string_view to_string(OpClass op) {
  return name_in(kOpClassNames, op);
}

/// A class for the names that a pattern fits. In a pattern `*` is any text, letters fit either
/// case, and the whole name must fit.
struct OpRule {
  OpClass op = OpClass::other;
  std::string pattern;
  std::string origin;  // "built in", or the file and line it came from
};

struct Classified {
  OpClass op = OpClass::other;
  std::string rule;  // "*gemm* (built in)"; what gave the class, to be shown with it
};

/// Names kernels' classes: the first rule that fits decides, and one always does.
class OpClassifier {
 public:
  /// The built-in rules.
  OpClassifier();

  /// Puts the rules of a text in front. A line is `gemm *my_kernel*`; `#` begins a comment. If it
  /// does not know a class or cannot read a line, it fails with `invalid_argument` and names the
  /// line.
  [[nodiscard]] Result<void> override_with(std::string_view text, std::string_view file);

  [[nodiscard]] Classified classify(std::string_view kernel_name) const;
  [[nodiscard]] const std::vector<OpRule>& rules() const { return rules_; }

 private:
  std::vector<OpRule> rules_;
};

/// The class of every function of a trace, in the order of Trace::functions.
[[nodiscard]] std::vector<Classified> classify_functions(const Trace& trace,
                                                         const OpClassifier& classifier);

/// Whether `name` fits `pattern`, where `*` is any text and letters fit either case.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view name);

}  // namespace assay::trace
