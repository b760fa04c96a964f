#pragma once

#include "trace/table.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// What the counters of a finished job say, for a page: the roofline, the reasons why warps wait,
/// every group of numbers, reference against candidate. Where there are no counters, why.
[[nodiscard]] trace::Report kernel_page(const wire::Value& job);

}  // namespace assay::cli
