#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/table.hpp"

namespace assay::trace {

enum class DiffStatus : std::uint8_t { slower, faster, same, added, gone };

inline constexpr NameTable<DiffStatus, 5> kDiffStatusNames = {{
    {DiffStatus::slower, "slower"},
    {DiffStatus::faster, "faster"},
    {DiffStatus::same, "same"},
    {DiffStatus::added, "new"},
    {DiffStatus::gone, "gone"},
}};

constexpr std::string_view to_string(DiffStatus status) {
  return name_in(kDiffStatusNames, status);
}

/// How two names were found to be of one thing: alike to the letter, alike but for a demangler's
/// spelling, or the only ones with their bare identifier.
enum class MatchedBy : std::uint8_t { name, spelling, identifier, nothing };

struct DiffRow {
  std::string name;  // in B, or in A where it is gone
  MatchedBy matched_by = MatchedBy::nothing;
  std::optional<Summary> a;
  std::optional<Summary> b;
  DiffStatus status = DiffStatus::same;

  /// Of the total time; what is absent counts as nothing.
  [[nodiscard]] std::int64_t change() const;
};

/// How much a comparison of two profiles can be trusted.
struct Comparability {
  enum class Confidence : std::uint8_t { high, medium, low };
  Confidence confidence = Confidence::high;
  std::vector<std::string> reasons;
};

struct Diff {
  std::vector<DiffRow> kernels;  // by falling change of total time
  std::vector<DiffRow> ranges;
  Comparability comparability;
};

struct DiffOptions {
  double threshold_pct = 2;  // of the average time of a launch: less is `same`
};

[[nodiscard]] Diff compare(const ProfileSums& a, const ProfileSums& b,
                           const DiffOptions& options = {});

/// Finding, tables `figures`, `kernels` and `ranges`.
[[nodiscard]] Report diff_report(const ProfileSums& a, const ProfileSums& b, const Diff& diff);

}  // namespace assay::trace
