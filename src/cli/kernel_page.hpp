#pragma once

#include "trace/ncu/report.hpp"
#include "trace/table.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// A page about the counters of a finished job: the roofline, the reasons why warps wait, and every
/// group of numbers, reference against candidate. Without counters it says why.
[[nodiscard]] trace::Report kernel_page(const wire::Value& job);

/// Adds what the candidate's report of Nsight Compute says of its source lines and instructions.
void add_source(const trace::NcuReport& candidate, trace::Report& page);

}  // namespace assay::cli
