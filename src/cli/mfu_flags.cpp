#include "cli/mfu_flags.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/device_peaks.hpp"
#include "trace/mfu.hpp"
#include "trace/model_flops.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

/// The time GPUs took for the ranges the stage names, warm-up aside. Returns how many runs were
/// left out. Where it is stated how often the stage ran, all of them count.
Result<std::size_t> take_time_of_range(trace::Analysis& analysis, trace::RangeRule rule,
                                       trace::MfuStage& stage) {
  if (stage.range.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("stage {}: give its time=, tokens_per_s= or range=", stage.name));
  }
  ASSAY_TRY(const auto chosen, analysis.ranges_named(stage.range));
  const auto projected = trace::project(analysis.trace(), analysis.attribution(), rule);
  std::vector<std::uint32_t> rows = trace::outermost(analysis.trace(), chosen);
  std::erase_if(rows, [&](std::uint32_t row) { return projected[row].work == 0; });
  static_cast<void>(trace::leave_out_cut_off(analysis.trace(), rows));
  const bool stated = stage.shape.repeats != 1;
  trace::MeasuredRuns runs{.measured = rows};
  if (!stated) {
    runs =
        trace::without_warm_up(analysis.trace(), trace::warm_up_ranges(analysis.trace()), rows,
                               trace::projected_times(projected, rows), trace::HostTime::ignored);
  }
  std::int64_t time = 0;
  for (const std::uint32_t row : runs.measured) time += projected[row].duration();
  if (rows.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("no GPU work is known to have been launched inside '{}'", stage.range));
  }
  stage.time_ns = static_cast<double>(time);
  if (!stated) stage.shape.repeats = static_cast<double>(runs.measured.size());
  return runs.warm_up.size();
}

/// Counted work needs no model.
bool only_counted(const MfuFlags& flags) {
  return std::ranges::all_of(flags.stages, [](const std::string& stage) {
    return stage.starts_with(trace::to_string(trace::StageKind::counted));
  });
}

}  // namespace

void add_peak_flags(CLI::App& command, MfuFlags& flags) {
  const auto option = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->group("Utilisation");
  };
  option("--model", flags.model,
         "Its shape: layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=128256");
  option("--device", flags.device, "The device to measure against (default: the profile's)");
  option("--dtype", flags.type, "The format it computes in")->capture_default_str();
  option("--devices", flags.devices, "How many devices worked together")->capture_default_str();
  option("--clock-mhz", flags.clock_mhz, "The clock that the GPU ran at, for the second figure");
  option("--peak-tflops", flags.peak_tflops,
         "The dense peak of a device that is not in the tables");
}

void add_mfu_flags(CLI::App& command, MfuFlags& flags) {
  command
      .add_option("--mfu", flags.stages,
                  "A stage of a model (repeatable). 'prefill:batch=8,tokens=1024,range=NAME' takes "
                  "its time from that range. 'decode:...,new=256,time=2.1s' states it. "
                  "'counted:flop=3.2e12,range=NAME' needs no model. 'counted' is for a report of "
                  "Nsight Compute")
      ->group("Utilisation");
  add_peak_flags(command, flags);
  command
      .add_flag("--list-devices", flags.list_devices,
                "Which devices there are, their dense peaks, and where the figures come from")
      ->group("Utilisation");
}

Result<trace::MfuPeak> peak_of(const MfuFlags& flags, const std::string& recorded) {
  trace::MfuPeak peak{.device = flags.device.empty() ? recorded : flags.device,
                      .devices = flags.devices};
  ASSAY_TRY(peak.type, trace::parse_math_type(flags.type));
  if (flags.clock_mhz) peak.clock_hz = *flags.clock_mhz * 1e6;
  if (flags.peak_tflops) peak.flop_per_s = *flags.peak_tflops * 1e12;
  return peak;
}

Result<trace::Report> mfu_report(trace::Analysis& analysis, const MfuFlags& flags,
                                 trace::RangeRule rule) {
  trace::ModelShape model;
  if (!only_counted(flags)) {
    if (flags.model.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "--mfu: the model's shape is not given: --model layers=32,hidden=4096,heads=32,"
                  "ffn=14336. Work that you know needs none: --mfu counted:flop=3.2e12,range=NAME");
    }
    ASSAY_TRY(model, trace::parse_model_shape(flags.model));
  }
  std::vector<trace::MfuStage> stages;
  std::vector<std::string> notes;
  for (const std::string& text : flags.stages) {
    ASSAY_TRY(trace::MfuStage stage, trace::parse_mfu_stage(text, model));
    if (stage.time_ns == 0) {
      ASSAY_TRY(const std::size_t left_out, take_time_of_range(analysis, rule, stage));
      if (left_out > 0) {
        notes.push_back(fmt::format("{}: {} of warm-up left out, {} runs counted.", stage.name,
                                    left_out, stage.shape.repeats));
      }
    }
    stages.push_back(std::move(stage));
  }
  const auto& gpus = analysis.trace().capture.gpus;
  ASSAY_TRY(const trace::MfuPeak peak, peak_of(flags, gpus.empty() ? "" : gpus.front().name));
  ASSAY_TRY(trace::Report report, trace::model_mfu(model, stages, peak));
  auto& told = report.tables.front().notes;
  told.insert(told.end(), notes.begin(), notes.end());
  return report;
}

}  // namespace assay::cli
