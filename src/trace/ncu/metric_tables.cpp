#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/tables.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Whether `text` fits `pattern`, in which `*` stands for any text. Linear in practice: on a
/// mismatch only the last `*` grows.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Table metric_rows(std::string name, std::string title) {
  return {.name = std::move(name),
          .title = std::move(title),
          .columns = {{"launch", "#", ColumnType::integer},
                      {"kernel", "Kernel"},
                      {"label", "Label"},
                      {"metric", "Metric"},
                      {"value", "Value", ColumnType::real},
                      {"unit", "Unit"}}};
}

/// A label may be a template, "{UNIT}: {COMPOUND_NAME}", to be filled from the metric's name
/// (smsp__inst_executed.sum is of the unit smsp); empty where something stays unfilled.
std::string filled(std::string label, std::string_view metric) {
  const std::size_t unit_end = metric.find("__");
  const std::string_view unit = metric.substr(0, unit_end);
  const std::string_view rest =
      unit_end == std::string_view::npos ? metric : metric.substr(unit_end + 2);
  const auto fill = [&](std::string_view place, std::string_view text) {
    const std::size_t at = label.find(place);
    if (at != std::string::npos) label.replace(at, place.size(), text);
  };
  fill("{UNIT}", unit);
  fill("{COMPOUND_NAME}", rest.substr(0, rest.find('.')));
  return label.find('{') == std::string::npos ? label : "";
}

void add_metric(Table& table, const NcuLaunch& launch, const NcuMetric& metric,
                std::string_view template_label) {
  const std::string label = filled(std::string(template_label), metric.name);
  table.add_row({launch.id, launch.name, label.empty() ? Cell() : Cell(label), metric.name,
                 metric.value, metric.unit.empty() ? Cell() : Cell(metric.unit)});
}

/// `shown` are the metrics of the launch that the table has already: sections repeat them.
void add_section_metrics(Table& table, const NcuLaunch& launch,
                         const std::vector<NcuSectionMetric>& metrics,
                         std::set<std::string_view>& shown) {
  for (const NcuSectionMetric& entry : metrics) {
    const NcuMetric* metric = launch.find(entry.name);
    if (metric != nullptr && shown.insert(metric->name).second)
      add_metric(table, launch, *metric, entry.label);
  }
}

/// The label a section shows for a metric; empty where none does.
std::string_view label_of(const NcuReport& report, std::string_view metric) {
  for (const NcuSection& section : report.sections) {
    for (const auto* list : {&section.header, &section.body}) {
      const auto found = std::ranges::find(*list, metric, &NcuSectionMetric::name);
      if (found != list->end() && !found->label.empty()) return found->label;
    }
  }
  return {};
}

}  // namespace

Table ncu_section_list(const NcuReport& report) {
  Table table{.name = "sections",
              .title = "Sections of the report",
              .columns = {{"section", "Section"},
                          {"name", "Name"},
                          {"metrics", "Metrics", ColumnType::integer},
                          {"description", "Description"}}};
  std::vector<const NcuSection*> sections;
  sections.reserve(report.sections.size());
  for (const NcuSection& section : report.sections) sections.push_back(&section);
  std::ranges::stable_sort(sections, {}, [](const NcuSection* section) { return section->order; });
  for (const NcuSection* section : sections) {
    table.add_row({section->id, section->name, section->header.size() + section->body.size(),
                   section->description.empty() ? Cell() : Cell(section->description)});
  }
  return table;
}

Result<Table> ncu_section_table(const NcuReport& report, std::string_view section, bool with_body) {
  const auto found = std::ranges::find_if(report.sections, [&](const NcuSection& entry) {
    return entry.id == section || entry.name == section;
  });
  if (found == report.sections.end()) {
    std::vector<std::string_view> ids;
    ids.reserve(report.sections.size());
    for (const NcuSection& entry : report.sections) ids.emplace_back(entry.id);
    return fail(ErrorCode::not_found, fmt::format("the report has no section '{}'; it has: {}",
                                                  section, fmt::join(ids, ", ")));
  }
  const auto index = static_cast<std::size_t>(found - report.sections.begin());
  Table table = metric_rows(found->id, found->name);
  for (const NcuLaunch& launch : report.launches) {
    if (std::ranges::find(launch.sections, index) == launch.sections.end()) continue;
    std::set<std::string_view> shown;
    add_section_metrics(table, launch, found->header, shown);
    if (with_body || found->header.empty()) {
      add_section_metrics(table, launch, found->body, shown);
    }
  }
  return table;
}

Result<Table> ncu_metric_table(const NcuReport& report, std::span<const std::string> patterns) {
  Table table = metric_rows("metrics", "Metrics");
  std::vector<bool> used(patterns.size());
  for (const NcuLaunch& launch : report.launches) {
    for (const NcuMetric& metric : launch.metrics) {
      bool wanted = false;
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!matches(patterns[i], metric.name)) continue;
        wanted = true;
        used[i] = true;
      }
      if (wanted) add_metric(table, launch, metric, label_of(report, metric.name));
    }
  }
  const auto unused = std::ranges::find(used, false);
  if (unused != used.end()) {
    return fail(ErrorCode::not_found,
                fmt::format("no metric of the report fits '{}'",
                            patterns[static_cast<std::size_t>(unused - used.begin())]));
  }
  return table;
}

}  // namespace assay::trace
