// Reads what `nsys stats` printed: any text, or where the first byte is odd rows under a header.
#include <cstddef>
#include <cstdint>
#include <string>

#include "trace/analysis/op_class.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/nsys_stats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (size > 0 && data[0] % 2 == 1) {
    text =
        "Time (%),Total Time (ms),Instances,Avg (ms),Med (ms),Min (ms),Max (ms),StdDev "
        "(ms),Name\n" +
        text.substr(1);
  }
  if (const auto stats = assay::trace::parse_nsys_stats(text)) {
    (void)assay::trace::make_report(*stats, assay::trace::OpClassifier(), {});
  }
  return 0;
}
