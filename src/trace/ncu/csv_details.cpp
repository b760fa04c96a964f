#include "trace/ncu/csv_details.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/ncu/csv_columns.hpp"
#include "trace/ncu/labels.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/units.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

NcuRuleKind rule_kind(std::string_view printed) {
  if (printed == "INF") return NcuRuleKind::ok;
  if (printed == "OPT") return NcuRuleKind::optimization;
  if (printed == "WRN") return NcuRuleKind::warning;
  if (printed == "ERR") return NcuRuleKind::error;
  return NcuRuleKind::none;
}

NcuSpeedup::Scope speedup_scope(std::string_view printed) {
  if (printed == "local") return NcuSpeedup::Scope::local;
  return printed == "global" ? NcuSpeedup::Scope::global : NcuSpeedup::Scope::unknown;
}

/// What the Metric Name column stands for: it holds a label, a metric's name, or with
/// --print-metric-name label-name both, "Duration (gpu__time_duration.sum)".
NcuSectionMetric resolve_name(std::string_view section_id, std::string_view printed,
                              std::string_view unit) {
  const std::size_t open = printed.rfind(" (");
  if (open != std::string_view::npos && printed.ends_with(')')) {
    const std::string_view inside = printed.substr(open + 2, printed.size() - open - 3);
    if (inside.find("__") != std::string_view::npos) {
      return {.name = std::string(inside), .label = std::string(printed.substr(0, open))};
    }
  }
  const std::string_view known = metric_of_label(section_id, printed, unit);
  if (!known.empty()) return {.name = std::string(known), .label = std::string(printed)};
  const bool is_name =
      printed.find(' ') == std::string_view::npos &&
      (printed.find("__") != std::string_view::npos || printed.find('.') != std::string_view::npos);
  if (is_name) return {.name = std::string(printed), .label = {}};
  return {.name = fmt::format("{}/{}", section_id, printed), .label = std::string(printed)};
}

NcuSection& section_of(NcuReport& report, std::string_view id, std::string_view name) {
  const auto found = std::ranges::find(report.sections, id, &NcuSection::id);
  if (found != report.sections.end()) return *found;
  return report.sections.emplace_back(NcuSection{.id = std::string(id), .name = std::string(name)});
}

template <class T>
void add_once(std::vector<T>& values, const T& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

}  // namespace

DetailsPage::DetailsPage(const Record& header, Decimal decimal)
    : decimal_(decimal), columns_(find_launch_columns(header)) {
  const auto find = [&header](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header.begin());
  };
  section_ = find("Section Name");
  metric_ = find("Metric Name");
  unit_ = find("Metric Unit");
  value_ = find("Metric Value");
  rule_ = find("Rule Name");
  rule_type_ = find("Rule Type");
  rule_text_ = find("Rule Description");
  speedup_type_ = find("Estimated Speedup Type");
  speedup_ = find("Estimated Speedup");
}

void DetailsPage::add(const Record& record, NcuReport& report) {
  // With --print-details all, tables of another shape (NUMA, NVLink) stand between the records.
  if (!value_ || record.size() <= *value_) {
    report.diagnostics.add("record_of_wrong_length",
                           fmt::format("a record of {} fields", record.size()));
    return;
  }
  NcuLaunch* launch = launch_of(record, report);
  if (launch == nullptr) {
    report.diagnostics.add("record_without_id", "a record whose ID is not a number");
  } else if (!cell(record, metric_).empty()) {
    add_metric(record, *launch, report);
  } else if (!cell(record, rule_).empty()) {
    add_rule(record, *launch);
  }
}

NcuLaunch* DetailsPage::launch_of(const Record& record, NcuReport& report) const {
  auto launch = read_launch(record, columns_);
  if (!launch) return nullptr;
  // Records of a launch follow one another, so the search ends at the last launch but rarely.
  for (std::size_t i = report.launches.size(); i-- > 0;) {
    NcuLaunch& known = report.launches[i];
    if (known.id == launch->id && known.process_id == launch->process_id) return &known;
  }
  return &report.launches.emplace_back(std::move(*launch));
}

void DetailsPage::add_metric(const Record& record, NcuLaunch& launch, NcuReport& report) const {
  const std::string_view section_name = cell(record, section_);
  const std::string_view section_id = section_id_of(section_name);
  const UnitScale unit = to_base_unit(cell(record, unit_));
  NcuSectionMetric metric = resolve_name(section_id, cell(record, metric_), unit.base);

  NcuSection& section = section_of(report, section_id, section_name);
  const auto index = static_cast<std::size_t>(&section - report.sections.data());
  add_once(launch.sections, index);
  const auto same_name = [&metric](const auto& other) { return other.name == metric.name; };
  if (std::ranges::none_of(launch.metrics, same_name)) {
    launch.metrics.push_back(
        {.name = metric.name,
         .unit = unit.base,
         .value = parse_printed_value(cell(record, value_), unit.exponent, decimal_)});
  }
  if (std::ranges::none_of(section.header, same_name)) {
    section.header.push_back(std::move(metric));
  }
}

void DetailsPage::add_rule(const Record& record, NcuLaunch& launch) const {
  const std::string_view id = cell(record, rule_);
  const std::string_view section_id = cell(record, section_);  // the id here, not the name
  const auto same = [&](const NcuRule& rule) {
    return rule.id == id && rule.section_id == section_id;
  };
  auto rule = std::ranges::find_if(launch.rules, same);
  if (rule == launch.rules.end()) {
    launch.rules.push_back({.id = std::string(id), .section_id = std::string(section_id)});
    rule = launch.rules.end() - 1;
  }
  NcuRuleMessage message{.kind = rule_kind(cell(record, rule_type_)),
                         .text = std::string(cell(record, rule_text_))};
  const auto percent = parse_printed_number(cell(record, speedup_), 0, decimal_);
  if (percent && percent->number()) {
    message.speedup = NcuSpeedup{.scope = speedup_scope(cell(record, speedup_type_)),
                                 .percent = percent->number().value_or(0)};
  }
  rule->messages.push_back(std::move(message));
}

}  // namespace assay::trace
