#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
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

/// What rules said of launches, each thing once for a kernel: of ten launches that are alike they
/// say the same ten times, with figures that differ in the third digit.
class Said {
 public:
  /// `order` is that of the message among those of its rule.
  void add(const NcuLaunch& launch, std::size_t order, Finding finding) {
    const auto key = std::tuple(finding.name, finding.title, order, launch.name);
    const auto [found, added] = places_.try_emplace(key, findings_.size());
    if (added) {
      findings_.push_back(std::move(finding));
      others_.push_back(0);
    } else {
      ++others_[found->second];
    }
  }
  [[nodiscard]] std::size_t size() const { return findings_.size(); }
  [[nodiscard]] Finding& operator[](std::size_t at) { return findings_[at]; }

  [[nodiscard]] std::vector<Finding> take() && {
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (others_[i] == 0) continue;
      findings_[i].evidence.emplace_back(
          "alike", "Alike in",
          fmt::format("{} other {}", others_[i], others_[i] == 1 ? "launch" : "launches"));
    }
    return std::move(findings_);
  }

 private:
  std::vector<Finding> findings_;
  std::vector<std::size_t> others_;  // launches of which the same is said
  std::map<std::tuple<std::string, std::string, std::size_t, std::string>, std::size_t> places_;
};

}  // namespace

std::vector<Finding> ncu_findings(const NcuReport& report, bool everything) {
  Said findings;
  for (const NcuLaunch& launch : report.launches) {
    for (const NcuRule& rule : launch.rules) {
      const std::size_t first = findings.size();
      for (std::size_t order = 0; order < rule.messages.size(); ++order) {
        const NcuRuleMessage& message = rule.messages[order];
        const FindingKind kind = finding_kind(message.kind);
        if (!everything && kind == FindingKind::info) continue;
        findings.add(launch, order, to_finding(launch, rule, message));
      }
      // Focus metrics belong to the rule: they stand with what it said first.
      if (findings.size() == first) continue;
      for (const NcuFocusMetric& focus : rule.focus) {
        add_focus(launch, focus, findings[first]);
      }
    }
  }
  return std::move(findings).take();
}

}  // namespace assay::trace
