#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/figures.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/tables.hpp"
#include "trace/ncu/work.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// The path with the most work: the ceiling a launch as a whole is drawn under.
const MathPath* main_path(const LaunchWork& work) {
  const MathPath* most = nullptr;
  for (const MathPath& path : work.paths) {
    if (path.floating && (most == nullptr || path.flop > most->flop)) most = &path;
  }
  return most;
}

std::optional<double> percent(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || *whole <= 0) return std::nullopt;
  return 100 * *part / *whole;
}

/// What a path could reach at most: its own peak, or what memory can feed it with the work it
/// does per byte.
std::optional<double> attainable(const LaunchWork& work, const MathPath& path) {
  if (!path.peak_flop_per_s) return std::nullopt;
  if (!work.dram_peak_bytes_per_s || !work.dram_bytes || *work.dram_bytes <= 0) {
    return path.peak_flop_per_s;
  }
  return std::min(*path.peak_flop_per_s,
                  path.flop / *work.dram_bytes * *work.dram_peak_bytes_per_s);
}

Cell limiting_side(const LaunchWork& work, const MathPath& path) {
  const auto reachable = attainable(work, path);
  if (!reachable || !work.dram_peak_bytes_per_s || !work.dram_bytes) return {};
  return *reachable < *path.peak_flop_per_s ? "memory" : "compute";
}

void add_rows(Table& table, const NcuLaunch& launch) {
  const LaunchWork work = measure_work(launch);
  for (const MathPath& path : work.paths) {
    if (!path.floating) continue;
    const auto achieved = work.per_second(path.flop);
    const auto reachable = attainable(work, path);
    table.add_row({launch.id, launch.name, path.name, path.flop, achieved, path.peak_flop_per_s,
                   percent(achieved, path.peak_flop_per_s), path.dense_flop_per_s,
                   percent(achieved, path.dense_flop_per_s), work.intensity(),
                   work.dram_peak_bytes_per_s, reachable, percent(achieved, reachable),
                   limiting_side(work, path), work.sm_hz});
  }
}

/// Clocks differ from launch to launch: a ceiling is drawn at the highest, and the table has each
/// launch's own.
void raise_ceiling(Roofline& roofline, const MathPath& path) {
  if (!path.peak_flop_per_s) return;
  auto found = std::ranges::find(roofline.ceilings, path.name, &RooflineCeiling::name);
  if (found == roofline.ceilings.end()) {
    roofline.ceilings.push_back({.name = path.name});
    found = roofline.ceilings.end() - 1;
  }
  found->flop_per_second = std::max(found->flop_per_second, *path.peak_flop_per_s);
}

}  // namespace

Table ncu_roofline_table(const NcuReport& report) {
  Table table{.name = "roofline",
              .title = "Work against the device's peaks at the clock of the launch",
              .columns = {{"launch", "#", ColumnType::integer},
                          {"kernel", "Kernel"},
                          {"path", "Arithmetic"},
                          {"work_flop", "Work", ColumnType::flop},
                          {"achieved_flop_per_s", "Achieved", ColumnType::flop_per_second},
                          {"peak_flop_per_s", "Peak", ColumnType::flop_per_second},
                          {"of_peak_pct", "Of peak", ColumnType::percent},
                          {"dense_peak_flop_per_s", "Dense peak", ColumnType::flop_per_second},
                          {"of_dense_peak_pct", "Of dense", ColumnType::percent},
                          {"flop_per_byte", "FLOP/B", ColumnType::real},
                          {"dram_peak_bytes_per_s", "DRAM peak", ColumnType::bytes_per_second},
                          {"attainable_flop_per_s", "Attainable", ColumnType::flop_per_second},
                          {"of_attainable_pct", "Of attain.", ColumnType::percent},
                          {"roof", "Roof"},
                          {"sm_hz", "SM clock", ColumnType::hertz}}};
  for (const NcuLaunch& launch : report.launches) add_rows(table, launch);
  table.notes.emplace_back(
      "Peak: of the very instructions used, at the clock of the launch. Dense peak: of the fastest "
      "dense instructions for the same format; mma.sync reaches two thirds of wgmma on Hopper.");
  table.notes.emplace_back(
      "Work with sparsity counts the products that are skipped; it is never compared with a dense "
      "peak as if it were dense.");
  return table;
}

std::vector<Roofline> ncu_rooflines(const NcuReport& report) {
  std::map<std::string, Roofline> by_device;
  for (const NcuLaunch& launch : report.launches) {
    const LaunchWork work = measure_work(launch);
    const MathPath* path = main_path(work);
    const auto intensity = work.intensity();
    const auto rate = work.per_second(work.flop());
    if (path == nullptr || !intensity || !rate || !work.dram_peak_bytes_per_s) continue;
    const std::string device = device_name(report, launch);
    Roofline& roofline = by_device[device];
    roofline.title = device.empty() ? "Roofline" : device;
    roofline.bytes_per_second = std::max(roofline.bytes_per_second, *work.dram_peak_bytes_per_s);
    raise_ceiling(roofline, *path);
    roofline.points.push_back({.label = fmt::format("#{} {}", launch.id, launch.name),
                               .ceiling = path->name,
                               .flop_per_byte = *intensity,
                               .flop_per_second = *rate,
                               .duration_ns = work.duration_ns.value_or(0)});
  }
  std::vector<Roofline> rooflines;
  rooflines.reserve(by_device.size());
  for (auto& [device, roofline] : by_device) rooflines.push_back(std::move(roofline));
  return rooflines;
}

}  // namespace assay::trace
