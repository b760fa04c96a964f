#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/request.hpp"

namespace assay::metrics {

/// The tools of compute-sanitizer that check what a request asks for, in the order in which they
/// should run. If memory is misused, what the later ones say is worth little.
[[nodiscard]] std::vector<std::string_view> sanitizer_tools(const Sanitize& wanted);

struct SanitizerRun {
  std::filesystem::path program;
  std::string_view tool;
  std::filesystem::path log_file;
};

/// The words before the program's own. It is a list for exec; no shell reads it.
[[nodiscard]] std::vector<std::string> sanitizer_command(const SanitizerRun& run);

}  // namespace assay::metrics
