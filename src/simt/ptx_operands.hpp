#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::simt {

[[nodiscard]] bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string without_comments(std::string_view ptx);
/// Cut at `separator` outside of braces and brackets, and trimmed.
[[nodiscard]] std::vector<std::string> split_ptx(std::string_view text, char separator);
/// A type that ptx.hpp has: "b32", "f16x2".
[[nodiscard]] bool is_ptx_type(std::string_view word);

/// What operands of PTX are in C++. None where that is not known.
class PtxOperands {
 public:
  using Text = std::optional<std::string>;

  /// Declarations for ".reg" and what follows it: " .pred p, q".
  Text declare(std::string_view type_and_names);
  /// A register, a number, or a name that every thread knows.
  [[nodiscard]] Text value(std::string_view text) const;
  /// The operands from `first` on, behind `before`, separated by commas. Braces are opened.
  [[nodiscard]] Text values(const std::vector<std::string>& operands, std::size_t first,
                            std::string before = "") const;
  /// "[%0 + 16]" in global or shared memory.
  [[nodiscard]] Text address(std::string_view operand, bool shared) const;

 private:
  std::set<std::string> names_;  // registers that the asm declares
};

}  // namespace assay::simt
