#include "trace/ncu/merge.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "trace/ncu/report.hpp"

namespace assay::trace {
namespace {

/// The section's place in `to`, where it is added unless one of its id is there.
std::size_t place_of(NcuSection section, std::vector<NcuSection>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i].id == section.id) return i;
  }
  to.push_back(std::move(section));
  return to.size() - 1;
}

}  // namespace

NcuReport merge_reports(std::vector<NcuReport> reports) {
  if (reports.empty()) return {};
  NcuReport out = std::move(reports.front());
  for (std::size_t i = 1; i < reports.size(); ++i) {
    NcuReport& next = reports[i];
    std::vector<std::size_t> places;
    places.reserve(next.sections.size());
    for (NcuSection& section : next.sections) {
      places.push_back(place_of(std::move(section), out.sections));
    }
    const std::size_t modules_before = out.modules.size();
    for (NcuModule& module : next.modules) out.modules.push_back(std::move(module));
    for (NcuLaunch& launch : next.launches) {
      if (launch.module) *launch.module += modules_before;
      launch.id = out.launches.size();
      for (std::size_t& section : launch.sections) section = places.at(section);
      out.launches.push_back(std::move(launch));
    }
    out.diagnostics.merge(next.diagnostics);
  }
  return out;
}

}  // namespace assay::trace
