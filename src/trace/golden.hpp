#pragma once

#include <string>

namespace assay::trace {

/// For tests: compares with tests/golden/traces/NAME, or writes it where ASSAY_UPDATE_GOLDEN is
/// set.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace assay::trace
