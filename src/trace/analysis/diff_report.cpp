#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/basis.hpp"
#include "trace/analysis/diff.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/human.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::string_view to_string(MatchedBy by) {
  switch (by) {
    case MatchedBy::asked:
      return "asked";
    case MatchedBy::name:
      return "name";
    case MatchedBy::spelling:
      return "spelling";
    case MatchedBy::identifier:
      return "identifier";
    case MatchedBy::nothing:
      break;
  }
  return "";
}

std::string_view to_string(Comparability::Confidence confidence) {
  switch (confidence) {
    case Comparability::Confidence::high:
      return "high";
    case Comparability::Confidence::medium:
      return "medium";
    case Comparability::Confidence::low:
      break;
  }
  return "low";
}

/// Change from `a` to `b` in percent; absent where there is nothing to change from.
Cell change_pct(double a, double b) {
  return a == 0 ? Cell() : Cell(one_decimal(100 * (b - a) / a));
}

Table row_table(std::string name, std::string title, const std::vector<DiffRow>& rows) {
  Table table{.name = std::move(name),
              .title = std::move(title),
              .columns = {{"change_ns", "Change", ColumnType::duration},
                          {"a_total_ns", "A total", ColumnType::duration},
                          {"b_total_ns", "B total", ColumnType::duration},
                          {"a_count", "A count", ColumnType::integer},
                          {"b_count", "B count", ColumnType::integer},
                          {"a_average_ns", "A average", ColumnType::duration},
                          {"b_average_ns", "B average", ColumnType::duration},
                          {"average_change_pct", "Average", ColumnType::percent},
                          {"status", "Status", ColumnType::text},
                          {"matched_by", "Matched by", ColumnType::text},
                          {"name", "Name", ColumnType::text}}};
  const auto total = [](const auto& s) { return s ? Cell(s->total) : Cell(); };
  const auto count = [](const auto& s) { return s ? Cell(s->count) : Cell(); };
  const auto average = [](const auto& s) { return s ? Cell(one_decimal(s->average)) : Cell(); };
  for (const DiffRow& row : rows) {
    table.add_row({one_decimal(row.change_ns), total(row.a), total(row.b), count(row.a),
                   count(row.b), average(row.a), average(row.b),
                   row.a && row.b ? change_pct(row.a->average, row.b->average) : Cell(),
                   to_string(row.status), to_string(row.matched_by), row.name});
  }
  return table;
}

std::string counted(const std::vector<DiffRow>& rows) {
  std::string out;
  for (const auto& [status, name] : kDiffStatusNames) {
    const auto count = std::ranges::count(rows, status, &DiffRow::status);
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name);
  }
  return out;
}

/// What a change of time is of, as the end of "Change: of".
std::string part_of(const Basis& basis) {
  switch (basis.per) {
    case Per::total:
      return "all that was recorded";
    case Per::iteration:
      return fmt::format("one iteration, '{}'", basis.of);
    case Per::range:
      return fmt::format("one '{}'", basis.of);
    case Per::launch:
      break;
  }
  return "A's launches, at the average of B";
}

Table figure_table(const ProfileSums& a, const ProfileSums& b, const Basis& basis) {
  // Figures are of different units, so each is written out beside its exact value.
  Table table{.name = "figures",
              .title = basis.per == Per::iteration || basis.per == Per::range
                           ? fmt::format("A and B, of {}", part_of(basis))
                           : "A and B as a whole",
              .columns = {{"figure", "Figure", ColumnType::text},
                          {"a", "A", ColumnType::real},
                          {"b", "B", ColumnType::real},
                          {"change_pct", "Change", ColumnType::percent},
                          {"a_text", "A", ColumnType::text},
                          {"b_text", "B", ColumnType::text}}};
  for (const auto& [name, metric] : a.metrics) {
    const auto other = b.metrics.find(name);
    if (other == b.metrics.end()) {
      table.add_row(
          {name, metric.value, Cell(), Cell(), humanize(Cell(metric.value), metric.type), Cell()});
      continue;
    }
    const bool unlike = name == "iteration_time" && a.iteration != b.iteration;
    if (unlike) {
      table.notes.push_back(
          fmt::format("iteration_time: of '{}' in A and of '{}' in B.", a.iteration, b.iteration));
    }
    table.add_row({name, metric.value, other->second.value,
                   unlike ? Cell() : change_pct(metric.value, other->second.value),
                   humanize(Cell(metric.value), metric.type),
                   humanize(Cell(other->second.value), metric.type)});
  }
  return table;
}

std::string_view times_what(Per per) {
  switch (per) {
    case Per::total:
      return "Kernel time";
    case Per::iteration:
      return "Kernel time of an iteration";
    case Per::range:
      return "Kernel time of a range";
    case Per::launch:
      break;
  }
  return "Kernel time of a launch";
}

/// What a comparison of launches leaves out, as sentences: kernels of one side alone, and how often
/// each was launched.
std::string beside_launches(const Diff& diff) {
  double common_a = 0;
  double common_b = 0;
  double all_a = 0;
  double all_b = 0;
  for (const DiffRow& row : diff.kernels) {
    const double a = row.a ? static_cast<double>(row.a->total) : 0;
    const double b = row.b ? static_cast<double>(row.b->total) : 0;
    all_a += a;
    all_b += b;
    if (!row.a || !row.b) continue;
    common_a += a;
    common_b += b;
  }
  return fmt::format(
      " Those kernels hold {}% of A's kernel time and {}% of B's. In total, with what was launched "
      "more or less often, it went from {} to {} ({:+.1f}%).",
      share_pct(common_a, all_a), share_pct(common_b, all_b),
      humanize(Cell(all_a), ColumnType::duration), humanize(Cell(all_b), ColumnType::duration),
      all_a == 0 ? 0 : 100 * (all_b - all_a) / all_a);
}

/// The headline where kernels are not all recorded: how long GPUs were busy, of what is compared.
Finding busy_finding(const ProfileSums& a, const ProfileSums& b, const Diff& diff,
                     const std::string& unseen) {
  const std::string not_compared = fmt::format("Kernel time is not compared: {}.", unseen);
  Finding finding{.kind = FindingKind::abstention,
                  .name = "gpu_busy",
                  .title = "GPU busy time",
                  .message = not_compared + " Compare by --range, a range that both have."};
  const auto before = a.metrics.find("gpu_busy");
  const auto after = b.metrics.find("gpu_busy");
  if (diff.basis.per == Per::launch || before == a.metrics.end() || after == b.metrics.end()) {
    return finding;
  }
  const double time_a = before->second.value;
  const double time_b = after->second.value;
  const double change = time_a == 0 ? 0 : one_decimal(100 * (time_b - time_a) / time_a);
  finding.kind = FindingKind::answer;
  finding.message = fmt::format("GPUs were busy for {} and then for {} ({:+.1f}%). {} {}",
                                humanize(Cell(time_a), ColumnType::duration),
                                humanize(Cell(time_b), ColumnType::duration), change,
                                diff.basis.why, not_compared);
  finding.evidence = {{"a_gpu_busy_ns", "A", one_decimal(time_a), ColumnType::duration},
                      {"b_gpu_busy_ns", "B", one_decimal(time_b), ColumnType::duration},
                      {"change_pct", "Change", change, ColumnType::percent},
                      {"per", "Compared by", to_string(diff.basis.per), ColumnType::text}};
  return finding;
}

Finding time_finding(const ProfileSums& a, const ProfileSums& b, const Diff& diff) {
  if (const std::string unseen = kernels_unseen(a, b); !unseen.empty()) {
    return busy_finding(a, b, diff, unseen);
  }
  Finding finding{.kind = FindingKind::answer,
                  .name = "kernel_time",
                  .title = std::string(times_what(diff.basis.per))};
  if (!diff.kernel_time) {
    finding.kind = FindingKind::abstention;
    finding.message =
        diff.kernels.empty()
            ? "Neither profile holds kernels: ranges alone are compared."
            : "No kernel is in both profiles, so that no launches can be held against each other. "
              "Say which are the same with --match old=new.";
    return finding;
  }
  const auto [time_a, time_b] = *diff.kernel_time;
  const double change = time_a == 0 ? 0 : one_decimal(100 * (time_b - time_a) / time_a);
  finding.message = fmt::format(
      "{} went from {} to {} ({:+.1f}%). {}{} Kernels: {}.", times_what(diff.basis.per),
      humanize(Cell(time_a), ColumnType::duration), humanize(Cell(time_b), ColumnType::duration),
      change, diff.basis.why, diff.basis.per == Per::launch ? beside_launches(diff) : "",
      counted(diff.kernels));
  finding.evidence = {{"a_kernel_time_ns", "A", one_decimal(time_a), ColumnType::duration},
                      {"b_kernel_time_ns", "B", one_decimal(time_b), ColumnType::duration},
                      {"change_pct", "Change", change, ColumnType::percent},
                      {"per", "Compared by", to_string(diff.basis.per), ColumnType::text}};
  return finding;
}

}  // namespace

Finding renamed_finding(const Renamed& renamed) {
  return {.kind = FindingKind::advice,
          .name = "renamed",
          .title = "Perhaps renamed",
          .message = fmt::format("'{}' is only in A and '{}' only in B, with {}. To compare them: "
                                 "--match '{}={}'",
                                 renamed.before, renamed.after, renamed.why, renamed.before,
                                 renamed.after)};
}

Report diff_report(const ProfileSums& a, const ProfileSums& b, const Diff& diff) {
  Report report{.title = "Comparison of two profiles"};
  report.facts = {{"a", "A", a.file, ColumnType::text}, {"b", "B", b.file, ColumnType::text}};
  report.findings.push_back(time_finding(a, b, diff));
  std::string reasons =
      diff.comparability.reasons.empty() ? "Nothing speaks against comparing the two." : "";
  for (const std::string& reason : diff.comparability.reasons) {
    reasons += (reasons.empty() ? "" : " ") + reason;
  }
  report.findings.push_back(
      {.kind = diff.comparability.reasons.empty() ? FindingKind::ok : FindingKind::warning,
       .name = "comparability",
       .title = "Comparability",
       .message = std::move(reasons),
       .evidence = {{"confidence", "Confidence", to_string(diff.comparability.confidence),
                     ColumnType::text}}});
  for (const Renamed& renamed : diff.renamed) report.findings.push_back(renamed_finding(renamed));
  report.tables.push_back(figure_table(a, b, diff.basis));
  Table kernels = row_table("kernels", "Kernels by change of time", diff.kernels);
  kernels.notes.push_back(fmt::format(
      "Change: of {}. Totals and counts: of {}.", part_of(diff.basis),
      diff.basis.per == Per::iteration || diff.basis.per == Per::range ? "all of them"
                                                                       : "the whole profile"));
  report.tables.push_back(std::move(kernels));
  if (!diff.ranges.empty()) {
    Table ranges = row_table("ranges", "Ranges by change of time", diff.ranges);
    ranges.notes.emplace_back(diff.basis.per == Per::total
                                  ? "Warm-up is left out."
                                  : "Change: of A's ranges, at the average of B. Warm-up is left "
                                    "out.");
    report.tables.push_back(std::move(ranges));
  }
  return report;
}

}  // namespace assay::trace
