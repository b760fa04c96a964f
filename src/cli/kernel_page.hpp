#pragma once

#include "trace/ncu/report.hpp"
#include "trace/table.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// What the counters of a finished job say, for a page: the roofline, the reasons why warps wait,
/// every group of numbers, reference against candidate. Where there are no counters, why.
[[nodiscard]] trace::Report kernel_page(const wire::Value& job);

/// Adds what the candidate's report of Nsight Compute says of its source lines and instructions.
void add_source(const trace::NcuReport& candidate, trace::Report& page);

}  // namespace assay::cli
