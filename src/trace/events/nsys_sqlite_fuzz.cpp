// Reads Nsight Systems exports that are damaged in places. Random bytes are no database, so an
// input is a list of edits to a good one: four bytes of offset, one of value.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace {

std::vector<std::byte> good_image() {
  assay::trace::NsysFixture fixture;
  fixture.sql("PRAGMA page_size = 512").sql("VACUUM");
  assay::trace::add_demo(fixture, {.steps = 1});
  fixture.graph(5, 50, 77, 4).domain(1, "NCCL");
  return fixture.image();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> kGood = good_image();
  std::vector<std::byte> image = kGood;
  for (std::size_t i = 0; i + 5 <= size; i += 5) {
    const std::size_t offset = data[i] | data[i + 1] << 8U | data[i + 2] << 16U;
    image[offset % image.size()] = static_cast<std::byte>(data[i + 4]);
  }
  const auto trace = assay::trace::read_nsys_sqlite(image);
  if (!trace) return 0;
  const assay::trace::OpClassifier classifier;
  assay::trace::Analysis analysis(*trace, classifier);
  (void)assay::trace::make_report(analysis, {.reports = {"all"}, .figures = true});
  (void)assay::trace::make_report(analysis, {.reports = {"all"}, .range = "*"});
  return 0;
}
