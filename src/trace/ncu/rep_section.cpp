#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/diagnostics.hpp"
#include "trace/ncu/rep_decode.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/wire.hpp"

namespace assay::trace {
namespace {

NcuSectionMetric decode_section_metric(std::string_view message) {
  NcuSectionMetric metric;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) metric.name = field->bytes();
    if (field->number == 2) metric.label = field->bytes();
  }
  return metric;
}

/// Where in a message its metrics are: a field number is a metric (`below` empty) or a message
/// that holds some. This describes the nesting of tables, charts, rooflines and timelines
/// without a decoder for each.
struct Path {
  std::uint32_t field;
  std::span<const Path> below;
};

constexpr std::array<Path, 0> kMetric{};
constexpr std::array kPerCycle = std::to_array<Path>({{1, kMetric}, {2, kMetric}});
constexpr std::array kRooflineValue = std::to_array<Path>({{2, kMetric}, {3, kPerCycle}});
constexpr std::array kRoofline = std::to_array<Path>({{1, kRooflineValue}, {2, kRooflineValue}});
constexpr std::array kRooflineChart = std::to_array<Path>({{4, kRoofline}, {5, kRoofline}});
constexpr std::array kInFour = std::to_array<Path>({{4, kMetric}});
constexpr std::array kInFive = std::to_array<Path>({{5, kMetric}});
constexpr std::array kInThree = std::to_array<Path>({{3, kMetric}});
constexpr std::array kBaseNames = std::to_array<Path>({{1, kMetric}});
constexpr std::array kSuffixTable = std::to_array<Path>({{3, kBaseNames}});
constexpr std::array kTimelineGroup = std::to_array<Path>({{4, kInFour}});
constexpr std::array kTimeline = std::to_array<Path>({{2, kTimelineGroup}, {3, kMetric}});
constexpr std::array kBodyItem = std::to_array<Path>({{1, kInFive},
                                                      {2, kInFive},
                                                      {3, kInFour},
                                                      {4, kInFour},
                                                      {6, kRooflineChart},
                                                      {7, kInThree},
                                                      {8, kSuffixTable},
                                                      {113, kTimeline}});
constexpr std::uint32_t kHorizontalContainer = 5;  // of a body item: holds body items again
constexpr int kDeepestContainer = 16;

void add_once(std::vector<NcuSectionMetric>& metrics, NcuSectionMetric metric) {
  if (metric.name.empty()) return;
  if (std::ranges::find(metrics, metric.name, &NcuSectionMetric::name) != metrics.end()) return;
  metrics.push_back(std::move(metric));
}

void collect(std::string_view message, std::span<const Path> paths,
             std::vector<NcuSectionMetric>& metrics) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    const auto path = std::ranges::find(paths, field->number, &Path::field);
    if (path == paths.end()) continue;
    if (path->below.empty()) {
      add_once(metrics, decode_section_metric(field->bytes()));
    } else {
      collect(field->bytes(), path->below, metrics);
    }
  }
}

/// ProfilerSectionBody, and a container within it: both hold body items as field 1.
void collect_items(std::string_view message, std::vector<NcuSectionMetric>& metrics, int depth) {
  WireReader reader(message);
  while (const auto item = reader.next()) {
    if (item->number != 1) continue;
    collect(item->bytes(), kBodyItem, metrics);
    WireReader inside(item->bytes());
    while (const auto field = inside.next()) {
      if (field->number == kHorizontalContainer && depth < kDeepestContainer) {
        collect_items(field->bytes(), metrics, depth + 1);
      }
    }
  }
}

std::string set_identifier(std::string_view message) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) return std::string(field->bytes());
  }
  return {};
}

}  // namespace

NcuSection decode_section(std::string_view message, Diagnostics& diagnostics) {
  NcuSection section;
  WireReader reader(message);
  static constexpr std::array kHeader = std::to_array<Path>({{2, kMetric}});
  static constexpr std::array kMetrics = std::to_array<Path>({{1, kMetric}});
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        section.id = field->bytes();
        break;
      case 2:
        section.name = field->bytes();
        break;
      case 3:
        section.order = field->integer();
        break;
      case 4:
        collect(field->bytes(), kHeader, section.header);
        break;
      case 5:
        collect_items(field->bytes(), section.body, 0);
        break;
      case 6:
        collect(field->bytes(), kMetrics, section.body);
        break;
      case 7:
        section.description = field->bytes();
        break;
      case 8:
        section.sets.push_back(set_identifier(field->bytes()));
        break;
      default:
        break;
    }
  }
  if (reader.malformed()) diagnostics.add("malformed_section", "section " + section.id);
  std::erase_if(section.body, [&section](const NcuSectionMetric& metric) {
    return std::ranges::find(section.header, metric.name, &NcuSectionMetric::name) !=
           section.header.end();
  });
  return section;
}

}  // namespace assay::trace
