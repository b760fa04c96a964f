#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/mfu.hpp"
#include "trace/model_flops.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A part of a program that people speak of, and the ranges that are it.
struct Stage {
  std::string name;
  std::string range;             // as select_ranges takes it
  std::optional<MfuStage> work;  // what it has to compute, where that was stated
};

/// Reads "forward:flop=3.2e12; backward:range=bwd,flop=6.4e12; optimizer". Semicolons separate
/// stages. A stage is named for its range unless `range=` names another. `flop=` states the work of
/// one run. `kind=prefill` (or decode, forward, training) with `batch=`, `tokens=` and `new=`
/// counts the work from the model's shape. Fails with `invalid_argument`.
[[nodiscard]] Result<std::vector<Stage>> parse_stages(std::string_view text,
                                                      const ModelShape& model);

/// Adds a table `stages` in front, with the time the GPUs took for each, without warm-up. If a
/// stage's work was stated, it has the utilisation too, with its formulas. A stage whose ranges are
/// not there is a warning: the program ran, and the other stages stand.
void add_stages(Analysis& analysis, const std::vector<Stage>& stages, const ModelShape& model,
                const MfuPeak& peak, Report& report);

}  // namespace assay::trace
