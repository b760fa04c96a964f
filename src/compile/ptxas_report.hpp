#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/kernel_resources.hpp"

namespace assay::compile {

/// Makes NVRTC and nvcc say what the assembler did; the code stays as it is.
inline constexpr const char* kPtxasReportFlag = "--ptxas-options=-v";

/// What `ptxas -v` says of the kernel with this symbol; nothing where it is silent about it.
[[nodiscard]] std::optional<RegisterSpills> spills_in(std::string_view log,
                                                      std::string_view symbol);

/// A compiler's log as it would be without the report, for people.
[[nodiscard]] std::string without_ptxas_report(std::string_view log);

}  // namespace assay::compile
