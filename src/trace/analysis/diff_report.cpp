#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/diff.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/human.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::string_view to_string(MatchedBy by) {
  switch (by) {
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
    table.add_row({row.change(), total(row.a), total(row.b), count(row.a), count(row.b),
                   average(row.a), average(row.b),
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

Table figure_table(const ProfileSums& a, const ProfileSums& b) {
  // Figures are of different units, so each is written out beside its exact value.
  Table table{.name = "figures",
              .title = "A and B as a whole",
              .columns = {{"figure", "Figure", ColumnType::text},
                          {"a", "A", ColumnType::real},
                          {"b", "B", ColumnType::real},
                          {"change_pct", "Change", ColumnType::percent},
                          {"a_text", "A", ColumnType::text},
                          {"b_text", "B", ColumnType::text}}};
  for (const auto& [name, metric] : a.metrics) {
    const auto other = b.metrics.find(name);
    if (other == b.metrics.end()) continue;
    table.add_row({name, metric.value, other->second.value,
                   change_pct(metric.value, other->second.value),
                   humanize(Cell(metric.value), metric.type),
                   humanize(Cell(other->second.value), metric.type)});
  }
  return table;
}

}  // namespace

Report diff_report(const ProfileSums& a, const ProfileSums& b, const Diff& diff) {
  Report report{.title = "Comparison of two profiles"};
  report.facts = {{"a", "A", a.file, ColumnType::text}, {"b", "B", b.file, ColumnType::text}};
  const double time_a = a.metrics.at("kernel_time").value;
  const double time_b = b.metrics.at("kernel_time").value;
  const double change = time_a == 0 ? 0 : one_decimal(100 * (time_b - time_a) / time_a);
  report.findings.push_back(
      {.kind = FindingKind::answer,
       .name = "kernel_time",
       .title = "Kernel time",
       .message =
           fmt::format("Kernel time went from {} to {} ({:+.1f}%). Kernels: {}.",
                       humanize(Cell(time_a), ColumnType::duration),
                       humanize(Cell(time_b), ColumnType::duration), change, counted(diff.kernels)),
       .evidence = {{"a_kernel_time_ns", "A", time_a, ColumnType::duration},
                    {"b_kernel_time_ns", "B", time_b, ColumnType::duration},
                    {"change_pct", "Change", change, ColumnType::percent}}});
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
  report.tables.push_back(figure_table(a, b));
  report.tables.push_back(row_table("kernels", "Kernels by change of total time", diff.kernels));
  if (!diff.ranges.empty()) {
    report.tables.push_back(row_table("ranges", "Ranges by change of total time", diff.ranges));
  }
  return report;
}

}  // namespace assay::trace
