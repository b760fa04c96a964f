#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/device_peaks.hpp"
#include "trace/mfu.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/work.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// The time that a launch's work would take at the peak, in seconds; nothing where a peak is
/// not known. Formats add up, since they share the multiprocessors.
struct IdealTime {
  double datasheet_s = 0;
  double at_clock_s = 0;
  bool known_datasheet = true;
  bool known_at_clock = true;
};

IdealTime ideal_time(const LaunchWork& work, const DeviceSpec* device, const MfuPeak& peak) {
  IdealTime ideal;
  for (const MathPath& path : work.paths) {
    if (!path.floating) continue;
    // Counted with the products that sparsity skips: half of them were computed.
    const double flop = path.sparse ? path.flop / 2 : path.flop;
    std::optional<double> datasheet = peak.flop_per_s;
    if (!datasheet && device != nullptr) datasheet = device->datasheet_peak(path.type);
    if (datasheet) ideal.datasheet_s += flop / *datasheet;
    if (path.dense_flop_per_s) ideal.at_clock_s += flop / *path.dense_flop_per_s;
    ideal.known_datasheet = ideal.known_datasheet && datasheet.has_value();
    ideal.known_at_clock = ideal.known_at_clock && path.dense_flop_per_s.has_value();
  }
  return ideal;
}

Cell utilisation(double ideal_s, bool known, double seconds) {
  return known && seconds > 0 ? Cell(100 * ideal_s / seconds) : Cell();
}

}  // namespace

Result<Report> counted_mfu(const NcuReport& report, const MfuPeak& peak) {
  Report out{.title = "Hardware FLOP utilisation, from counters"};
  Table table{.name = "counted_mfu",
              .title = "Counted work of each launch",
              .columns = {{"launch", "#", ColumnType::integer},
                          {"kernel", "Kernel"},
                          {"duration_ns", "Duration", ColumnType::duration},
                          {"counted_flop", "Work", ColumnType::flop},
                          {"achieved_flop_per_s", "Achieved", ColumnType::flop_per_second},
                          {"mfu_pct", "Of datasheet", ColumnType::percent},
                          {"mfu_at_clock_pct", "Of peak at clock", ColumnType::percent},
                          {"sm_hz", "SM clock", ColumnType::hertz}}};
  double seconds = 0;
  IdealTime all;
  double flop = 0;
  std::size_t uncounted = 0;
  for (const NcuLaunch& launch : report.launches) {
    const LaunchWork work = measure_work(launch);
    if (!work.flop() || !work.duration_ns) {
      ++uncounted;
      continue;
    }
    const std::string name = peak.device.empty() ? device_name(report, launch) : peak.device;
    const IdealTime ideal = ideal_time(work, find_device(name), peak);
    const double launch_s = *work.duration_ns * 1e-9;
    table.add_row({launch.id, launch.name, work.duration_ns, work.flop(),
                   work.per_second(work.flop()),
                   utilisation(ideal.datasheet_s, ideal.known_datasheet, launch_s),
                   utilisation(ideal.at_clock_s, ideal.known_at_clock, launch_s), work.sm_hz});
    seconds += launch_s;
    flop += work.flop().value_or(0);
    all.datasheet_s += ideal.datasheet_s;
    all.at_clock_s += ideal.at_clock_s;
    all.known_datasheet = all.known_datasheet && ideal.known_datasheet;
    all.known_at_clock = all.known_at_clock && ideal.known_at_clock;
  }
  if (table.rows.empty()) {
    return fail(ErrorCode::not_found, "no launch of the report has its FLOP counted");
  }
  out.diagnostics.add("launch_without_flop_counters", "left out of the utilisation", uncounted);
  out.facts.emplace_back("counted_flop", "Counted work", flop, ColumnType::flop);
  out.facts.emplace_back("profiled_ns", "Profiled time", seconds * 1e9, ColumnType::duration);
  out.facts.emplace_back("mfu_pct", "Of the dense datasheet peak",
                         utilisation(all.datasheet_s, all.known_datasheet, seconds),
                         ColumnType::percent);
  out.facts.emplace_back("mfu_at_clock_pct", "Of the dense peak at the clock run",
                         utilisation(all.at_clock_s, all.known_at_clock, seconds),
                         ColumnType::percent);
  table.notes.emplace_back(
      "Counted work includes what is recomputed or padded, so it is at least the model's own. Each "
      "format is held against its own dense peak; products that sparsity skips are not work.");
  out.tables.push_back(std::move(table));
  return out;
}

}  // namespace assay::trace
