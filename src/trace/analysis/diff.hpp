#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/names.hpp"
#include "trace/analysis/basis.hpp"
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

/// Why two names are taken for the same thing. The user said so, they are equal, they differ only
/// in a demangler's spelling, or no other names have their bare identifier.
enum class MatchedBy : std::uint8_t { asked, name, spelling, identifier, nothing };

struct DiffRow {
  std::string name;  // in B, or in A where it is gone
  MatchedBy matched_by = MatchedBy::nothing;
  std::optional<Summary> a;
  std::optional<Summary> b;
  DiffStatus status = DiffStatus::same;
  /// The change of the time that is compared (see Basis). A side that lacks it counts as 0.
  double change_ns = 0;
};

/// How much a comparison of two profiles can be trusted.
struct Comparability {
  enum class Confidence : std::uint8_t { high, medium, low };
  Confidence confidence = Confidence::high;
  std::vector<std::string> reasons;
};

/// A kernel of A and one of B that may be the same under another name.
struct Renamed {
  std::string before;
  std::string after;
  std::string why;  // "same grids and blocks, 12 launches each"
};

/// Kernel time of what is compared.
struct LikeTimes {
  double a = 0;
  double b = 0;
};

struct Diff {
  Basis basis;
  std::vector<DiffRow> kernels;  // by falling change
  std::vector<DiffRow> ranges;
  /// None where no kernel is in both, or too many are not recorded.
  std::optional<LikeTimes> kernel_time;
  std::vector<Renamed> renamed;
  Comparability comparability;
};

struct DiffOptions {
  double threshold_pct = 2;  // of the average time of a launch: less is `same`
  Basis basis;
  /// Names or patterns of kernels of A, and what they are called in B.
  std::vector<std::pair<std::string, std::string>> matches;
};

/// "old=new". Fails with `invalid_argument`.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_match(std::string_view text);

/// Why kernel time says little of a side: its graphs were traced whole. Empty where it does not.
[[nodiscard]] std::string kernels_unseen(const ProfileSums& a, const ProfileSums& b);

/// Whether figures of ranges say little of a side: too many kernels are in none, because the calls
/// that launched them are not recorded.
[[nodiscard]] bool lacks_calls(const ProfileSums& a, const ProfileSums& b);

/// Fails with `invalid_argument` if nothing can be compared: only one side has kernels, or neither
/// has kernels or ranges.
[[nodiscard]] Result<void> check_comparable(const ProfileSums& a, const ProfileSums& b);

/// Fails with `not_found` where a kernel that was to be matched is not there.
[[nodiscard]] Result<Diff> compare(const ProfileSums& a, const ProfileSums& b,
                                   const DiffOptions& options = {});

/// Prepares the sums for conditions. Puts the figures of what is compared in place of totals.
/// Removes figures that mean nothing for runs of different length.
void judge_by(const Diff& diff, ProfileSums& a, ProfileSums& b);

/// Says how to compare the two.
[[nodiscard]] Finding renamed_finding(const Renamed& renamed);

/// Findings, tables `figures`, `kernels` and `ranges`.
[[nodiscard]] Report diff_report(const ProfileSums& a, const ProfileSums& b, const Diff& diff);

}  // namespace assay::trace
