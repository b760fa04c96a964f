#pragma once

#include <optional>

#include <assay/simt_abi.h>

#include "model/runner_protocol.hpp"

namespace assay::runner {

/// What a launch that did not end well, or that a sanitizer complained about, means for the
/// submission; nothing where all was well.
[[nodiscard]] std::optional<Refused> refusal(const assay_simt_report& report);

}  // namespace assay::runner
