#include "trace/analysis/diff.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/kernel_name.hpp"

namespace assay::trace {
namespace {

using Key = std::function<std::string(const std::string&)>;

DiffStatus status_of(const DiffRow& row, const DiffOptions& options) {
  if (!row.a) return DiffStatus::added;
  if (!row.b) return DiffStatus::gone;
  // By launch, so that a longer run is not a slower one.
  const double before = row.a->average;
  const double change = before == 0 ? 0 : 100 * (row.b->average - before) / before;
  if (std::abs(change) < options.threshold_pct) return DiffStatus::same;
  return change > 0 ? DiffStatus::slower : DiffStatus::faster;
}

/// Pairs up names of two profiles, the surest way first.
class Matcher {
 public:
  Matcher(std::span<const NamedSummary> a, std::span<const NamedSummary> b) {
    for (const NamedSummary& sum : a) left_a_.push_back(&sum);
    for (const NamedSummary& sum : b) left_b_.push_back(&sum);
  }

  /// Pairs what has a key that no other name left on its side has.
  void match(MatchedBy by, const Key& key_of) {
    const auto in_a = unique_by(left_a_, key_of);
    const auto in_b = unique_by(left_b_, key_of);
    for (const auto& [key, sum] : in_b) {
      const auto found = in_a.find(key);
      if (found == in_a.end()) continue;
      rows_.push_back(
          {.name = sum->name, .matched_by = by, .a = found->second->summary, .b = sum->summary});
      std::erase(left_a_, found->second);
      std::erase(left_b_, sum);
    }
  }

  [[nodiscard]] std::vector<DiffRow> take(const DiffOptions& options) && {
    for (const NamedSummary* sum : left_a_) rows_.push_back({.name = sum->name, .a = sum->summary});
    for (const NamedSummary* sum : left_b_) rows_.push_back({.name = sum->name, .b = sum->summary});
    for (DiffRow& row : rows_) row.status = status_of(row, options);
    std::ranges::sort(rows_, [](const DiffRow& x, const DiffRow& y) {
      const std::int64_t by_x = std::abs(x.change());
      const std::int64_t by_y = std::abs(y.change());
      return by_x != by_y ? by_x > by_y : x.name < y.name;
    });
    return std::move(rows_);
  }

 private:
  using Sums = std::vector<const NamedSummary*>;

  static std::map<std::string, const NamedSummary*> unique_by(const Sums& sums, const Key& key_of) {
    std::map<std::string, const NamedSummary*> found;
    std::map<std::string, std::size_t> times;
    for (const NamedSummary* sum : sums) {
      std::string key = key_of(sum->name);
      ++times[key];
      found[std::move(key)] = sum;
    }
    std::erase_if(found, [&](const auto& entry) { return times[entry.first] > 1; });
    return found;
  }

  Sums left_a_;
  Sums left_b_;
  std::vector<DiffRow> rows_;
};

/// Kernel time of `kernels` that has no partner, of all of it, in percent.
double unmatched_pct(const std::vector<DiffRow>& kernels) {
  double unmatched = 0;
  double all = 0;
  for (const DiffRow& row : kernels) {
    const double time = static_cast<double>(row.a ? row.a->total : 0) +
                        static_cast<double>(row.b ? row.b->total : 0);
    all += time;
    if (!row.a || !row.b) unmatched += time;
  }
  return share_pct(unmatched, all);
}

class Judge {
 public:
  void note(Comparability::Confidence confidence, std::string reason) {
    out_.confidence = std::max(out_.confidence, confidence);
    out_.reasons.push_back(std::move(reason));
  }
  [[nodiscard]] Comparability take() && { return std::move(out_); }

 private:
  Comparability out_;
};

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

Comparability judge(const ProfileSums& a, const ProfileSums& b,
                    const std::vector<DiffRow>& kernels) {
  using enum Comparability::Confidence;
  Judge judge;
  if (a.kernels.empty() || b.kernels.empty())
    judge.note(low, "One of the profiles has no kernels.");
  if (!a.gpus.empty() && !b.gpus.empty() && a.gpus != b.gpus) {
    judge.note(low, fmt::format("Different GPUs: {} and {}.", list_of(a.gpus), list_of(b.gpus)));
  }
  if (a.product != b.product || a.schema != b.schema) {
    judge.note(medium, fmt::format("Made by different tools: {} (schema {}) and {} (schema {}).",
                                   a.product, a.schema, b.product, b.schema));
  }
  if (a.command != b.command && !a.command.empty() && !b.command.empty()) {
    judge.note(medium, "The profiled commands differ.");
  }
  const double count_a = a.metrics.at("kernel_count").value;
  const double count_b = b.metrics.at("kernel_count").value;
  if (count_a > 0 && std::abs(count_b - count_a) > 0.05 * count_a) {
    judge.note(medium,
               fmt::format("{} kernels against {}: runs of different length. Averages compare "
                           "them, totals do not.",
                           count_a, count_b));
  }
  const double unmatched = unmatched_pct(kernels);
  if (unmatched > 20) {
    judge.note(low, fmt::format("{}% of kernel time is in kernels only one run has.", unmatched));
  }
  if (a.kernels_without_call + b.kernels_without_call > 0) {
    judge.note(medium,
               "A profile was trimmed: kernels whose launching call it lacks are in no range.");
  }
  return std::move(judge).take();
}

}  // namespace

std::int64_t DiffRow::change() const {
  return (b ? b->total : 0) - (a ? a->total : 0);
}

Diff compare(const ProfileSums& a, const ProfileSums& b, const DiffOptions& options) {
  const auto itself = [](const std::string& name) { return name; };
  Matcher kernels(a.kernels, b.kernels);
  kernels.match(MatchedBy::name, itself);
  kernels.match(MatchedBy::spelling,
                [](const std::string& name) { return comparable_kernel_name(name); });
  kernels.match(MatchedBy::identifier,
                [](const std::string& name) { return std::string(short_kernel_name(name)); });
  Matcher ranges(a.ranges, b.ranges);
  ranges.match(MatchedBy::name, itself);
  Diff diff{.kernels = std::move(kernels).take(options), .ranges = std::move(ranges).take(options)};
  diff.comparability = judge(a, b, diff.kernels);
  return diff;
}

}  // namespace assay::trace
