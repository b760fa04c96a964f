#pragma once

#include "trace/table.hpp"

namespace assay::trace {

/// Replaces the kernel names of a report's tables and findings by their bare identifiers. Names of
/// one table that would then be alike keep their template arguments.
void shorten_names(Report& report);

}  // namespace assay::trace
