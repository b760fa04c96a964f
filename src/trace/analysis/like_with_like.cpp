#include "trace/analysis/like_with_like.hpp"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/basis.hpp"
#include "trace/analysis/iterations.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

double launches_of(const ProfileSums& sums) {
  const auto found = sums.metrics.find("kernel_count");
  return found == sums.metrics.end() ? 0 : found->second.value;
}

Result<LikePair> by_range(Analysis& a, Analysis& b, const LikeOptions& options) {
  LikePair pair{.basis = {.per = Per::range, .of = options.range}};
  double* const counts[] = {&pair.basis.count_a, &pair.basis.count_b};
  ProfileSums* const sums[] = {&pair.a, &pair.b};
  Analysis* const sides[] = {&a, &b};
  std::string left_out;
  for (int i = 0; i < 2; ++i) {
    auto chosen = sides[i]->ranges_named(options.range);
    if (!chosen) {
      return std::unexpected(std::move(chosen).error().while_doing(sides[i]->trace().capture.file));
    }
    const Trace& trace = sides[i]->trace();
    auto rows = outermost(trace, *chosen);
    static_cast<void>(leave_out_cut_off(trace, rows));
    const MeasuredRuns runs = without_warm_up(
        trace, warm_up_ranges(trace), rows,
        projected_times(project(trace, sides[i]->attribution(), options.rule), rows));
    std::vector<std::uint8_t> measured(trace.ranges.size(), 0);
    for (const std::uint32_t row : runs.measured) measured[row] = 1;
    *counts[i] = static_cast<double>(runs.measured.size());
    *sums[i] = profile_sums_within(*sides[i], measured, options.rule, *counts[i]);
    if (runs.warm_up.empty()) continue;
    left_out += fmt::format("{}{} of {}", left_out.empty() ? "" : " and ", runs.warm_up.size(),
                            i == 0 ? "A" : "B");
  }
  pair.basis.why = fmt::format("One '{}' is held against another, {} in A and {} in B{}.",
                               options.range, pair.basis.count_a, pair.basis.count_b,
                               left_out.empty() ? "" : "; warm-up is left out, " + left_out);
  return pair;
}

ProfileSums sums_of_iterations(Analysis& analysis, const Iterations& found, RangeRule rule) {
  std::vector<std::uint8_t> chosen(analysis.trace().ranges.size(), 0);
  for (const Iteration& one : found.list) {
    if (!one.warm_up) chosen[one.range] = 1;
  }
  return profile_sums_within(analysis, chosen, rule, static_cast<double>(found.counted()));
}

Result<LikePair> by_iteration(Analysis& a, Analysis& b, const LikeOptions& options) {
  ASSAY_TRY(const Iterations first, find_iterations(a.trace(), a.attribution()));
  ASSAY_TRY(const Iterations second, find_iterations(b.trace(), b.attribution()));
  if (first.name != second.name) {
    return fail(ErrorCode::not_found,
                fmt::format("A runs through '{}' and B through '{}': name a range that both have "
                            "with --range",
                            first.name, second.name));
  }
  // What is outside them could go unnoticed.
  constexpr double kMost = 80;
  if (!options.per && std::min(first.kernel_time_pct, second.kernel_time_pct) < kMost) {
    return fail(ErrorCode::not_found,
                fmt::format("'{}' holds {:.0f}% of A's kernel time and {:.0f}% of B's", first.name,
                            first.kernel_time_pct, second.kernel_time_pct));
  }
  if (!options.per && std::max(without_call_pct(a.trace()), without_call_pct(b.trace())) > 1) {
    return fail(ErrorCode::not_found, "the calls that launched some kernels are not recorded");
  }
  LikePair pair{.a = sums_of_iterations(a, first, options.rule),
                .b = sums_of_iterations(b, second, options.rule)};
  const auto launched_nothing = [](const ProfileSums& sums) {
    return sums.kernels.empty() && !sums.lacks_kernels();
  };
  if (launched_nothing(pair.a) || launched_nothing(pair.b)) {
    return fail(ErrorCode::not_found, "no kernels were launched inside the iterations");
  }
  pair.basis = {.per = Per::iteration,
                .of = first.name,
                .count_a = static_cast<double>(first.counted()),
                .count_b = static_cast<double>(second.counted())};
  pair.basis.why = fmt::format("One iteration is held against another: '{}', {} in A and {} in B.",
                               first.name, pair.basis.count_a, pair.basis.count_b);
  return pair;
}

}  // namespace

Result<LikePair> like_with_like(Analysis& a, Analysis& b, const LikeOptions& options) {
  if (!options.range.empty()) return by_range(a, b, options);
  if (!options.per || *options.per == Per::iteration) {
    auto pair = by_iteration(a, b, options);
    if (pair || options.per) return pair;
  }
  return like_with_like(profile_sums(a), profile_sums(b), options);
}

Result<LikePair> like_with_like(ProfileSums a, ProfileSums b, const LikeOptions& options) {
  if (!options.range.empty() || options.per == Per::range) {
    return fail(ErrorCode::invalid_argument,
                options.range.empty() ? "--per range needs --range, the range to compare by"
                                      : "sums hold no events to tell what was launched in a range");
  }
  if (options.per == Per::iteration) {
    return fail(ErrorCode::invalid_argument, "sums hold no events to tell iterations apart");
  }
  const double count_a = launches_of(a);
  const double count_b = launches_of(b);
  LikePair pair{.a = std::move(a), .b = std::move(b)};
  pair.basis.per = options.per.value_or(count_a == count_b ? Per::total : Per::launch);
  if (pair.basis.per == Per::launch) {
    pair.basis.why = fmt::format(
        "One launch is held against another, of the kernels that both have and as often as A "
        "launched each: A launched {} kernels and B {}.",
        count_a, count_b);
  } else if (count_a == count_b) {
    pair.basis.why = fmt::format("Totals are compared: both launched {} kernels.", count_a);
  } else {
    pair.basis.why = fmt::format(
        "Totals are compared, as asked, though A launched {} kernels and B {}.", count_a, count_b);
  }
  return pair;
}

}  // namespace assay::trace
