#include "trace/ncu/kernel_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/diff.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/tables.hpp"
#include "trace/ncu/work.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using Rows = std::vector<std::size_t>;
using Key = std::function<std::string(const NcuLaunch&)>;

/// Launches of a report that no kernel has claimed yet.
class Unclaimed {
 public:
  explicit Unclaimed(const NcuReport& report)
      : report_(report), free_(report.launches.size(), true) {}

  [[nodiscard]] std::map<std::string, Rows> by(const Key& key) const {
    std::map<std::string, Rows> groups;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (free_[i]) groups[key(report_.launches[i])].push_back(i);
    }
    return groups;
  }

  Rows claim_all(std::string_view text) {
    Rows rows;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const NcuLaunch& launch = report_.launches[i];
      const bool fits =
          launch.name == text || launch.function == text || glob_match(text, launch.name);
      if (free_[i] && fits) rows.push_back(i);
    }
    claim(rows);
    return rows;
  }

  void claim(const Rows& rows) {
    for (const std::size_t row : rows) free_[row] = false;
  }

 private:
  const NcuReport& report_;
  std::vector<bool> free_;
};

std::optional<double> average_ns(const NcuReport& report, const Rows& rows) {
  double sum = 0;
  double count = 0;
  for (const std::size_t row : rows) {
    if (const auto took = measure_work(report.launches[row]).duration_ns) {
      sum += *took;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

/// How much of a report's time is in kernels that both reports have.
struct Shared {
  double shared = 0;
  double all = 0;
  void add(double time, bool both) {
    all += time;
    if (both) shared += time;
  }
  [[nodiscard]] double pct() const { return share_pct(shared, all); }
};

/// Text that all launches share, or how many there are.
std::string common_text(const NcuReport& report, const Rows& rows,
                        const std::function<std::string(const NcuLaunch&)>& text) {
  const std::string first = text(report.launches[rows.front()]);
  const bool same = std::ranges::all_of(
      rows, [&](std::size_t row) { return text(report.launches[row]) == first; });
  return same ? first : "several";
}

std::string shape_of(const NcuLaunch& launch) {
  return fmt::format("{} of {}", dim3_text(launch.grid), dim3_text(launch.block));
}

bool about(std::optional<double> a, std::optional<double> b) {
  return a && b && *a > 0 && std::abs(*b - *a) <= 0.05 * *a;
}

/// What speaks for two launches being the same work; empty: nothing.
std::string likeness(const NcuLaunch& a, const NcuLaunch& b) {
  std::string why;
  if (a.grid && a.grid == b.grid && a.block == b.block) {
    why = fmt::format("the same grid and block, {}", shape_of(a));
  }
  const auto add = [&](std::string_view what, std::optional<double> x, std::optional<double> y) {
    if (about(x, y)) why += fmt::format("{}about the same {}", why.empty() ? "" : ", ", what);
  };
  add("bytes of DRAM", measure_work(a).dram_bytes, measure_work(b).dram_bytes);
  add("instructions", a.number("smsp__inst_executed.sum"), b.number("smsp__inst_executed.sum"));
  return why;
}

}  // namespace

Result<std::vector<KernelPair>> match_kernels(
    const NcuReport& before, const NcuReport& after,
    const std::vector<std::pair<std::string, std::string>>& asked) {
  Unclaimed first(before);
  Unclaimed second(after);
  std::vector<KernelPair> pairs;
  for (const auto& [old_name, new_name] : asked) {
    KernelPair pair{.before = first.claim_all(old_name), .after = second.claim_all(new_name)};
    if (pair.before.empty() || pair.after.empty()) {
      return fail(ErrorCode::not_found,
                  fmt::format("--match: no kernel of {} fits '{}'", pair.before.empty() ? "A" : "B",
                              pair.before.empty() ? old_name : new_name));
    }
    pairs.push_back(std::move(pair));
  }
  const std::array<Key, 3> keys = {
      [](const NcuLaunch& launch) { return fmt::format("{}|{}", launch.name, shape_of(launch)); },
      [](const NcuLaunch& launch) { return launch.name; },
      [](const NcuLaunch& launch) { return launch.function; },
  };
  for (const Key& key : keys) {
    const auto others = first.by(key);
    for (const auto& [text, rows] : second.by(key)) {
      const auto found = others.find(text);
      if (found == others.end()) continue;
      pairs.push_back({.before = found->second, .after = rows});
      first.claim(found->second);
      second.claim(rows);
    }
  }
  for (auto& [text, rows] : first.by(keys[0])) pairs.push_back({.before = rows, .after = {}});
  for (auto& [text, rows] : second.by(keys[0])) pairs.push_back({.before = {}, .after = rows});
  return pairs;
}

std::optional<NcuLaunchTimes> launch_times(const NcuReport& before, const NcuReport& after,
                                           const std::vector<KernelPair>& kernels) {
  NcuLaunchTimes sum;
  double launches = 0;
  Shared old_time;
  Shared new_time;
  for (const KernelPair& pair : kernels) {
    const auto old_ns = average_ns(before, pair.before);
    const auto new_ns = average_ns(after, pair.after);
    const auto weight = static_cast<double>(pair.before.size());
    const bool both = old_ns && new_ns;
    old_time.add(old_ns.value_or(0) * weight, both);
    new_time.add(new_ns.value_or(0) * static_cast<double>(pair.after.size()), both);
    if (!both) continue;
    sum.before_ns += *old_ns * weight;
    sum.after_ns += *new_ns * weight;
    launches += weight;
  }
  if (launches == 0) return std::nullopt;
  return NcuLaunchTimes{.before_ns = sum.before_ns / launches,
                        .after_ns = sum.after_ns / launches,
                        .before_shared_pct = old_time.pct(),
                        .after_shared_pct = new_time.pct()};
}

std::string_view change_word(std::optional<double> change_pct) {
  constexpr double kSamePct = 2;  // two runs of one program differ by that, as in DiffOptions
  if (!change_pct) return "unknown";
  if (std::abs(*change_pct) < kSamePct) return "same";
  return *change_pct < 0 ? "faster" : "slower";
}

Table kernel_pair_table(const NcuReport& before, const NcuReport& after,
                        const std::vector<KernelPair>& kernels) {
  Table table{.name = "kernels",
              .title = "A launch of each kernel, before and after",
              .columns = {{"kernel", "Kernel"},
                          {"status", "Change"},
                          {"before_count", "Launches before", ColumnType::integer},
                          {"after_count", "After", ColumnType::integer},
                          {"before_launch_ns", "A launch before", ColumnType::duration},
                          {"after_launch_ns", "After", ColumnType::duration},
                          {"change_pct", "Change %", ColumnType::percent},
                          {"before_shape", "Grid and block before"},
                          {"after_shape", "After"}}};
  for (const KernelPair& pair : kernels) {
    const auto old_ns = average_ns(before, pair.before);
    const auto new_ns = average_ns(after, pair.after);
    const auto change = old_ns && new_ns && *old_ns > 0
                            ? std::optional(100 * (*new_ns - *old_ns) / *old_ns)
                            : std::nullopt;
    const bool both = !pair.before.empty() && !pair.after.empty();
    const std::string_view status = pair.before.empty()  ? "new"
                                    : pair.after.empty() ? "gone"
                                                         : change_word(change);
    const auto& named = pair.after.empty() ? before.launches[pair.before.front()]
                                           : after.launches[pair.after.front()];
    std::string name = named.name;
    if (both && before.launches[pair.before.front()].name != name) {
      name += fmt::format(" (before {})", before.launches[pair.before.front()].name);
    }
    table.add_row({name, status, pair.before.size(), pair.after.size(), old_ns, new_ns, change,
                   pair.before.empty() ? Cell() : Cell(common_text(before, pair.before, shape_of)),
                   pair.after.empty() ? Cell() : Cell(common_text(after, pair.after, shape_of))});
  }
  return table;
}

std::vector<Renamed> suggest_renamed_kernels(const NcuReport& before, const NcuReport& after,
                                             const std::vector<KernelPair>& kernels) {
  std::vector<Renamed> out;
  std::vector<bool> used(kernels.size(), false);
  for (const KernelPair& gone : kernels) {
    if (gone.before.empty() || !gone.after.empty()) continue;
    std::size_t best = kernels.size();
    std::string best_why;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (used[i] || !kernels[i].before.empty()) continue;
      std::string why =
          likeness(before.launches[gone.before.front()], after.launches[kernels[i].after.front()]);
      if (why.size() <= best_why.size()) continue;
      best = i;
      best_why = std::move(why);
    }
    if (best == kernels.size()) continue;
    used[best] = true;
    out.push_back({.before = before.launches[gone.before.front()].name,
                   .after = after.launches[kernels[best].after.front()].name,
                   .why = best_why});
  }
  return out;
}

}  // namespace assay::trace
