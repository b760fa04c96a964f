#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/ncu/csv_pages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  // Start inside a page, of either kind, or from nothing.
  constexpr std::string_view kRaw =
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Grid Size\","
      "\"thread Domain:Push/Pop_Range\",\"Id:Domain:Start/Stop_Range\",\"m\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"Kbyte/s\"\n";
  constexpr std::string_view kDetails =
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
      "\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\"\n";
  const std::string_view start = data[0] % 3 == 0 ? kRaw : data[0] % 3 == 1 ? kDetails : "";
  (void)assay::trace::parse_ncu_csv(std::string(start) + std::string(text));
  return 0;
}
