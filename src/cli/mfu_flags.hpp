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
/// Of those the ones that say what is computed and on what: the model's shape and the device's
/// peak.
void add_peak_flags(CLI::App& command, MfuFlags& flags);

/// The peak the flags name; `recorded` is the profile's device, for where they name none.
[[nodiscard]] Result<trace::MfuPeak> peak_of(const MfuFlags& flags, const std::string& recorded);

/// Model FLOP utilisation of the stages. A stage without a time gets that of the ranges it names:
/// the GPU time of all of them, as often as they ran. Fails as model_mfu and select_ranges do.
[[nodiscard]] Result<trace::Report> mfu_report(trace::Analysis& analysis, const MfuFlags& flags,
                                               trace::RangeRule rule);

}  // namespace assay::cli
