#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "trace/ncu/report.hpp"
#include "trace/ncu/tables.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

FindingKind finding_kind(NcuRuleKind kind) {
  switch (kind) {
    case NcuRuleKind::none:
    case NcuRuleKind::ok:
      return FindingKind::info;
    case NcuRuleKind::warning:
      return FindingKind::warning;
    case NcuRuleKind::error:
      return FindingKind::error;
    case NcuRuleKind::optimization:
      return FindingKind::advice;
  }
  return FindingKind::info;
}

Finding to_finding(const NcuLaunch& launch, const NcuRule& rule, const NcuRuleMessage& message) {
  Finding finding{.kind = finding_kind(message.kind),
                  .name = rule.id,
                  .title = message.title.empty() ? rule.name : message.title,
                  .message = message.text,
                  .subject = fmt::format("#{} {}", launch.id, launch.name)};
  if (finding.title.empty()) finding.title = rule.id;
  finding.evidence.emplace_back("section", "Section", rule.section_id);
  if (message.speedup) {
    const bool global = message.speedup->scope == NcuSpeedup::Scope::global;
    finding.evidence.emplace_back(global ? "estimated_speedup_pct" : "estimated_local_speedup_pct",
                                  global ? "Estimated speedup" : "Estimated speedup of this part",
                                  message.speedup->percent, ColumnType::percent);
  }
  return finding;
}

/// In the units of the report, which its metrics are held in.
ColumnType type_of(const NcuMetric* metric) {
  const std::string_view unit = metric == nullptr ? std::string_view() : metric->unit;
  if (unit == "%") return ColumnType::percent;
  if (unit == "ns") return ColumnType::duration;
  if (unit == "byte") return ColumnType::bytes;
  if (unit == "byte/s") return ColumnType::bytes_per_second;
  return ColumnType::real;
}

/// A metric that a rule rests on, and what it says to do about it.
void add_focus(const NcuLaunch& launch, const NcuFocusMetric& focus, Finding& finding) {
  const bool said = std::ranges::any_of(finding.evidence,
                                        [&](const Fact& fact) { return fact.name == focus.name; });
  if (said) return;
  finding.evidence.emplace_back(focus.name, focus.name, focus.value,
                                type_of(launch.find(focus.name)));
  if (!focus.info.empty()) {
    finding.evidence.emplace_back(focus.name + "_goal", "To do", focus.info);
  }
}

}  // namespace

std::vector<Finding> ncu_findings(const NcuReport& report, bool everything) {
  std::vector<Finding> findings;
  for (const NcuLaunch& launch : report.launches) {
    for (const NcuRule& rule : launch.rules) {
      const std::size_t first = findings.size();
      for (const NcuRuleMessage& message : rule.messages) {
        const FindingKind kind = finding_kind(message.kind);
        if (!everything && kind == FindingKind::info) continue;
        findings.push_back(to_finding(launch, rule, message));
      }
      // Focus metrics belong to the rule: they stand with what it said first.
      if (findings.size() == first) continue;
      for (const NcuFocusMetric& focus : rule.focus) {
        add_focus(launch, focus, findings[first]);
      }
    }
  }
  return findings;
}

}  // namespace assay::trace
