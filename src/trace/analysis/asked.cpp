#include "trace/analysis/asked.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/table.hpp"

namespace assay::trace {

Trace with_ranges(const std::vector<FixtureRange>& ranges) {
  NsysFixture fixture;
  for (const FixtureRange& range : ranges) {
    fixture.range(range);
    for (std::int64_t at = range.start; at + 60 <= range.end.value_or(0); at += 50) {
      fixture.launch(
          {.call_start = at + 1, .call_end = at + 2, .start = at + 5, .end = at + 15, .name = "k"});
    }
  }
  return read_fixture(fixture);
}

Finding asked(const Trace& trace, std::string_view question) {
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  return ask(analysis, question, {}).value().findings.at(0);
}

}  // namespace assay::trace
