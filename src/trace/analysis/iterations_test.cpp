#include "trace/analysis/iterations.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {
namespace {

Trace demo() {
  NsysFixture fixture;
  add_demo(fixture);
  return read_nsys_sqlite(fixture.image()).value();
}

TEST(Iterations, are_found_by_what_repeats) {
  const Trace trace = demo();
  const Iterations found = find_iterations(trace, attribute(trace)).value();
  EXPECT_EQ(found.name, "step #");
  ASSERT_EQ(found.list.size(), 3U);
  EXPECT_EQ(found.list[0].kernels, found.list[2].kernels);
  EXPECT_GT(found.list[0].gpu_busy, 0);
  EXPECT_LE(found.list[0].gpu_busy, found.list[0].gpu_span);
}

TEST(Iterations, are_those_asked_for) {
  const Trace trace = demo();
  const Iterations found = find_iterations(trace, attribute(trace), "forward").value();
  EXPECT_EQ(found.list.size(), 3U);
  EXPECT_EQ(found.duration.count, 3U);
}

TEST(Iterations, of_a_program_without_a_loop_are_not_found) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 10, .name = "once"});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  EXPECT_EQ(find_iterations(trace, attribute(trace)).error().code(), ErrorCode::not_found);
  EXPECT_EQ(find_iterations(trace, attribute(trace), "none").error().code(), ErrorCode::not_found);
}

TEST(Iterations, ranges_of_a_framework_are_no_loop) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 5; ++i)
    fixture.range({.start = i * 10, .end = i * 10 + 5, .name = "aten::mm"});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  EXPECT_FALSE(find_iterations(trace, attribute(trace)).has_value());
}

}  // namespace
}  // namespace assay::trace
