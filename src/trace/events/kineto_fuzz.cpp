// Reads PyTorch traces: any text, or where the first byte is odd a good one damaged in places.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/kineto.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string json(reinterpret_cast<const char*>(data), size);
  if (size > 0 && data[0] % 2 == 1) {
    json = assay::trace::demo_kineto();
    for (std::size_t i = 1; i + 3 <= size; i += 3) {
      const std::size_t offset = data[i] | data[i + 1] << 8U;
      json[offset % json.size()] = static_cast<char>(data[i + 2]);
    }
  }
  const auto trace = assay::trace::parse_kineto(json);
  if (!trace) return 0;
  const assay::trace::OpClassifier classifier;
  assay::trace::Analysis analysis(*trace, classifier);
  (void)assay::trace::make_report(analysis, {.reports = {"all"}, .figures = true});
  (void)assay::trace::make_report(analysis, {.reports = {"all"}, .range = "*"});
  return 0;
}
