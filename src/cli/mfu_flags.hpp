#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/mfu.hpp"
#include "trace/table.hpp"

namespace assay::cli {

/// What utilisation is asked for, and against what.
struct MfuFlags {
  std::vector<std::string> stages;
  std::string model;
  std::string device;
  std::string type = "bf16";
  double devices = 1;
  std::optional<double> clock_mhz;
  std::optional<double> peak_tflops;
  bool list_devices = false;
};

void add_mfu_flags(CLI::App& command, MfuFlags& flags);
/// Only the flags for the model's shape and the device's peak.
void add_peak_flags(CLI::App& command, MfuFlags& flags);

/// The peak that the flags name. If they name none, it is that of `recorded`, the profile's device.
[[nodiscard]] Result<trace::MfuPeak> peak_of(const MfuFlags& flags, const std::string& recorded);

/// Model FLOP utilisation of the stages. A stage without a time gets the GPU time of all ranges it
/// names. It counts as run as often as they did. Fails as model_mfu and select_ranges do.
[[nodiscard]] Result<trace::Report> mfu_report(trace::Analysis& analysis, const MfuFlags& flags,
                                               trace::RangeRule rule);

}  // namespace assay::cli
