#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/device_peaks.hpp"
#include "trace/model_flops.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// What utilisation is measured against.
struct MfuPeak {
  std::string device;                // as find_device takes it; empty: `flop_per_s` is given
  MathType type = MathType::bf16;    //
  double devices = 1;                // that worked together
  std::optional<double> clock_hz;    // the clock actually run, for the second figure
  std::optional<double> flop_per_s;  // of one device, dense; overrides the table
};

/// A stage of a model and the time it took.
struct MfuStage {
  std::string name;   // for people: the range or the stage
  std::string range;  // whose time it took, where a profile says; empty: `time_ns` is given
  StageShape shape;
  double time_ns = 0;
};

/// Reads `decode:batch=8,tokens=1024,new=256,time=2.1s`. `time` takes ns, us, ms or s.
/// `tokens_per_s=4321` or `range=NAME` stand in for it. `repeats=N` says how often the stage ran in
/// that time, `attention=full` counts masked-out scores, and `name=` labels the stage.
/// `counted:flop=3.2e12,...` takes the work of one run as given. Without any time, `time_ns` is 0.
/// Fails with `invalid_argument`.
[[nodiscard]] Result<MfuStage> parse_mfu_stage(std::string_view text, const ModelShape& model);

/// Model FLOP utilisation of each stage, from the model's shape. Shows the formulas with their
/// numbers. The work is divided by the dense datasheet peak, and by the peak at the clock actually
/// run. Fails with `not_found` for a device without figures for the format, and with
/// `invalid_argument` for a stage without time.
[[nodiscard]] Result<Report> model_mfu(const ModelShape& model, const std::vector<MfuStage>& stages,
                                       const MfuPeak& peak);

/// Hardware FLOP utilisation, from counters. It is the time that the launches would have taken at
/// the dense peak of each format, over the time that they took. Fails with `not_found` where
/// nothing was counted.
[[nodiscard]] Result<Report> counted_mfu(const NcuReport& report, const MfuPeak& peak);

}  // namespace assay::trace
