#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

/// Something malformed, missing or left out, and how often: "kernel_without_api_row" 1810 times.
struct Diagnostic {
  std::string name;    // stable, snake_case
  std::string detail;  // for people; that of the first occurrence
  std::uint64_t count = 0;

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Counts what a reader could not use, so that nothing is dropped in silence.
class Diagnostics {
 public:
  void add(std::string_view name, std::string_view detail, std::uint64_t count = 1);
  void merge(const Diagnostics& other);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// How often `name` was counted; 0 where it never was.
  [[nodiscard]] std::uint64_t count(std::string_view name) const;
  /// In order of first occurrence.
  [[nodiscard]] const std::vector<Diagnostic>& entries() const { return entries_; }

 private:
  std::vector<Diagnostic> entries_;  // a handful of names: a linear search is enough
};

}  // namespace assay::trace
