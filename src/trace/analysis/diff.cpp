#include "trace/analysis/diff.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/kernel_name.hpp"
#include "trace/analysis/basis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/renames.hpp"
#include "trace/analysis/summary.hpp"

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

double scaled_total(const Summary& sum, double count) {
  return static_cast<double>(sum.total) / count;
}

double change_of(const DiffRow& row, const Basis& basis) {
  if (basis.per == Per::launch && row.a && row.b) {
    return (row.b->average - row.a->average) * static_cast<double>(row.a->count);
  }
  const double before = row.a ? scaled_total(*row.a, basis.count_a) : 0;
  return (row.b ? scaled_total(*row.b, basis.count_b) : 0) - before;
}

bool names_kernel(std::string_view text, const std::string& name) {
  return name == text || short_kernel_name(name) == text || glob_match(text, name);
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
    std::unordered_set<const NamedSummary*> matched;
    for (const auto& [key, sum] : in_b) {
      const auto found = in_a.find(key);
      if (found == in_a.end()) continue;
      rows_.push_back(
          {.name = sum->name, .matched_by = by, .a = found->second->summary, .b = sum->summary});
      matched.insert(found->second);
      matched.insert(sum);
    }
    const auto is_matched = [&](const NamedSummary* sum) { return matched.contains(sum); };
    std::erase_if(left_a_, is_matched);
    std::erase_if(left_b_, is_matched);
  }

  /// Pairs what the user says is one: the only kernel of A that fits `before` with the only one of
  /// B that fits `after`.
  Result<void> match_asked(std::string_view before, std::string_view after) {
    ASSAY_TRY(const NamedSummary* a, only_one(left_a_, before, "A"));
    ASSAY_TRY(const NamedSummary* b, only_one(left_b_, after, "B"));
    rows_.push_back({.name = fmt::format("{} (in A {})", b->name, a->name),
                     .matched_by = MatchedBy::asked,
                     .a = a->summary,
                     .b = b->summary});
    std::erase(left_a_, a);
    std::erase(left_b_, b);
    return {};
  }

  [[nodiscard]] std::vector<DiffRow> take(const DiffOptions& options) && {
    for (const NamedSummary* sum : left_a_) rows_.push_back({.name = sum->name, .a = sum->summary});
    for (const NamedSummary* sum : left_b_) rows_.push_back({.name = sum->name, .b = sum->summary});
    for (DiffRow& row : rows_) {
      row.status = status_of(row, options);
      row.change_ns = change_of(row, options.basis);
    }
    std::ranges::sort(rows_, [](const DiffRow& x, const DiffRow& y) {
      const double by_x = std::abs(x.change_ns);
      const double by_y = std::abs(y.change_ns);
      return by_x != by_y ? by_x > by_y : x.name < y.name;
    });
    return std::move(rows_);
  }

 private:
  using Sums = std::vector<const NamedSummary*>;

  static Result<const NamedSummary*> only_one(const Sums& sums, std::string_view text,
                                              std::string_view side) {
    const NamedSummary* found = nullptr;
    for (const NamedSummary* sum : sums) {
      if (!names_kernel(text, sum->name)) continue;
      if (found != nullptr) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("--match: '{}' fits several kernels of {}: '{}' and '{}'", text,
                                side, found->name, sum->name));
      }
      found = sum;
    }
    if (found == nullptr) {
      return fail(ErrorCode::not_found,
                  fmt::format("--match: no kernel of {} fits '{}'", side, text));
    }
    return found;
  }

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

/// Whether figures are of what was launched inside ranges.
bool by_ranges(const Basis& basis) {
  return basis.per == Per::iteration || basis.per == Per::range;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

double launches_of(const ProfileSums& sums) {
  double count = 0;
  for (const NamedSummary& kernel : sums.kernels) {
    count += static_cast<double>(kernel.summary.count);
  }
  return count;
}

Comparability judge(const ProfileSums& a, const ProfileSums& b, const Basis& basis,
                    const std::vector<DiffRow>& kernels) {
  using enum Comparability::Confidence;
  Judge judge;
  const std::string unseen = kernels_unseen(a, b);
  if (!unseen.empty()) {
    judge.note(medium, fmt::format("Kernel time is not compared: {}.", unseen));
  } else if (a.kernels.empty() || b.kernels.empty()) {
    judge.note(low, "One of the profiles has no kernels.");
  }
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
  const double count_a = launches_of(a);
  const double count_b = launches_of(b);
  if (basis.per == Per::total && count_a > 0 && std::abs(count_b - count_a) > 0.05 * count_a) {
    judge.note(medium,
               fmt::format("{} kernels against {}: runs of different length. Averages compare "
                           "them, totals do not.",
                           count_a, count_b));
  }
  const double unmatched = unmatched_pct(kernels);
  if (unmatched > 20) {
    judge.note(low, fmt::format("{}% of kernel time is in kernels only one run has.", unmatched));
  }
  if (std::max(a.without_call_pct, b.without_call_pct) > 0) {
    judge.note(
        lacks_calls(a, b) && by_ranges(basis) ? low : medium,
        fmt::format("Calls that launched kernels are not recorded: {}% of A's kernel time and "
                    "{}% of B's is in no range.",
                    a.without_call_pct, b.without_call_pct));
  }
  return std::move(judge).take();
}

std::optional<LikeTimes> like_times(const Diff& diff) {
  LikeTimes times;
  double launches = 0;
  bool any = false;
  for (const DiffRow& row : diff.kernels) {
    if (diff.basis.per != Per::launch) {
      if (row.a) times.a += scaled_total(*row.a, diff.basis.count_a);
      if (row.b) times.b += scaled_total(*row.b, diff.basis.count_b);
      any = true;
    } else if (row.a && row.b) {
      // As often as A launched each: else a kernel that B launches more often would weigh more.
      const auto count = static_cast<double>(row.a->count);
      times.a += row.a->average * count;
      times.b += row.b->average * count;
      launches += count;
      any = true;
    }
  }
  if (!any) return std::nullopt;
  if (launches > 0) times = {.a = times.a / launches, .b = times.b / launches};
  return times;
}

/// How little of a side's kernel time is in kernels that both have; empty where it is enough for
/// launches to stand for the runs.
std::string too_little_in_both(const Diff& diff) {
  constexpr double kEnough = 80;
  std::string why;
  for (const bool first : {true, false}) {
    double all = 0;
    double shared = 0;
    for (const DiffRow& row : diff.kernels) {
      const auto& side = first ? row.a : row.b;
      if (!side) continue;
      all += static_cast<double>(side->total);
      if (row.a && row.b) shared += static_cast<double>(side->total);
    }
    const double held = share_pct(shared, all);
    if (held >= kEnough) continue;
    why += fmt::format("{}{}% of {}'s kernel time", why.empty() ? "" : " and ", held,
                       first ? "A" : "B");
  }
  return why;
}

}  // namespace

Result<std::pair<std::string, std::string>> parse_match(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--match: '{}' is not old=new, a kernel of A and one of B", text));
  }
  return std::pair{std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

std::string kernels_unseen(const ProfileSums& a, const ProfileSums& b) {
  if (!a.lacks_kernels() && !b.lacks_kernels()) return {};
  return fmt::format(
      "kernels inside CUDA graphs are not recorded, and graphs take {}% of A's time and {}% of B's",
      a.in_graphs_pct, b.in_graphs_pct);
}

bool lacks_calls(const ProfileSums& a, const ProfileSums& b) {
  return std::max(a.without_call_pct, b.without_call_pct) > 1;
}

Result<void> check_comparable(const ProfileSums& a, const ProfileSums& b) {
  if (!kernels_unseen(a, b).empty()) return {};
  if (a.kernels.empty() != b.kernels.empty()) {
    const bool first = a.kernels.empty();
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} holds no kernels and {} does: there is nothing to compare",
                            first ? a.file : b.file, first ? b.file : a.file));
  }
  if (a.kernels.empty() && (a.ranges.empty() || b.ranges.empty())) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} and {} hold no kernels, and not both hold ranges: there is nothing "
                            "to compare",
                            a.file, b.file));
  }
  return {};
}

Result<Diff> compare(const ProfileSums& a, const ProfileSums& b, const DiffOptions& options) {
  const auto itself = [](const std::string& name) { return name; };
  Matcher kernels(a.kernels, b.kernels);
  for (const auto& [before, after] : options.matches) {
    if (auto done = kernels.match_asked(before, after); !done) {
      return std::unexpected(std::move(done).error());
    }
  }
  kernels.match(MatchedBy::name, itself);
  kernels.match(MatchedBy::spelling,
                [](const std::string& name) { return comparable_kernel_name(name); });
  kernels.match(MatchedBy::identifier,
                [](const std::string& name) { return std::string(short_kernel_name(name)); });
  Matcher ranges(a.ranges, b.ranges);
  ranges.match(MatchedBy::name, itself);
  // Ranges are of the whole profile: their averages are alike whatever kernels are compared by.
  DiffOptions of_ranges = options;
  if (of_ranges.basis.per != Per::total) of_ranges.basis.per = Per::launch;
  Diff diff{.basis = options.basis,
            .kernels = std::move(kernels).take(options),
            .ranges = std::move(ranges).take(of_ranges)};
  if (kernels_unseen(a, b).empty()) diff.kernel_time = like_times(diff);
  diff.renamed = suggest_renames(a, b, diff.kernels);
  diff.comparability = judge(a, b, diff.basis, diff.kernels);
  return diff;
}

void judge_by(const Diff& diff, ProfileSums& a, ProfileSums& b) {
  const auto take_out = [&](const char* name, const std::string& why) {
    for (ProfileSums* sums : {&a, &b}) {
      sums->metrics.erase(name);
      sums->absent[name] = why;
    }
  };
  if (!a.iteration.empty() && !b.iteration.empty() && a.iteration != b.iteration) {
    take_out("iteration_time",
             fmt::format("A runs through '{}' and B through '{}': name a range that "
                         "both have, as range_time:NAME",
                         a.iteration, b.iteration));
  }
  if (by_ranges(diff.basis) && lacks_calls(a, b)) {
    for (const char* name : {"kernel_time", "kernel_count", "gpu_busy", "gpu_idle", "gpu_span"}) {
      take_out(name,
               fmt::format("the calls that launched {}% of A's kernel time and {}% of B's are "
                           "not recorded, so that those kernels are in no range: compare by "
                           "--per launch or --per total",
                           a.without_call_pct, b.without_call_pct));
    }
  } else if (const std::string unseen = kernels_unseen(a, b); !unseen.empty()) {
    for (const char* name : {"kernel_time", "kernel_count"}) {
      take_out(name, unseen + "; gpu_busy and iteration_time can be judged");
    }
  } else if (a.kernels.empty()) {
    return;
  } else if (!diff.kernel_time) {
    take_out("kernel_time", "no kernel is in both profiles, so that no launches can be compared");
  } else if (const std::string little =
                 diff.basis.per == Per::launch ? too_little_in_both(diff) : "";
             !little.empty()) {
    take_out("kernel_time",
             fmt::format("launches of the kernels that both have are compared, and those hold only "
                         "{}: match renamed kernels with --match, name a range that both have with "
                         "--range, or compare totals with --per total",
                         little));
  } else {
    a.metrics["kernel_time"].value = diff.kernel_time->a;
    b.metrics["kernel_time"].value = diff.kernel_time->b;
  }
  if (diff.basis.per != Per::launch) return;
  for (const char* name :
       {"gpu_busy", "gpu_idle", "gpu_span", "api_time", "copy_time", "copied_bytes"}) {
    if (!a.metrics.contains(name) || !b.metrics.contains(name)) continue;
    take_out(name,
             "the runs are of different length, and this can only be compared in total: name a "
             "range that both have with --range, or compare totals with --per total");
  }
}

}  // namespace assay::trace
