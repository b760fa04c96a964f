#pragma once

#include <optional>

#include <assay/simt_abi.h>

#include "model/runner_protocol.hpp"

namespace assay::runner {

/// What a launch means for the submission if it did not end well, or if a sanitizer complained
/// about it. Nothing if all was well.
[[nodiscard]] std::optional<Refused> refusal(const assay_simt_report& report);

}  // namespace assay::runner
