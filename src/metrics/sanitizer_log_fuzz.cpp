// Whatever a jailed program wrote where the tool's report should be.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "metrics/sanitizer_arrays.hpp"
#include "metrics/sanitizer_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto log = assay::metrics::read_sanitizer_log(text);
  assay::metrics::name_arrays(text, log.findings);
  return log.findings.size() > assay::metrics::kMostFindings ? -1 : 0;
}
