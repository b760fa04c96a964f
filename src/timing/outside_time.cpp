#include "timing/outside_time.hpp"

#include "timing/statistics.hpp"

namespace assay::timing {
namespace {

constexpr double kQuarter = 0.25;

}  // namespace

void OutsideRounds::add(const OutsideRounds& more) {
  if (apart != more.apart) *this = {.short_ns = {}, .long_ns = {}, .apart = more.apart};
  short_ns.insert(short_ns.end(), more.short_ns.begin(), more.short_ns.end());
  long_ns.insert(long_ns.end(), more.long_ns.begin(), more.long_ns.end());
}

double OutsideRounds::call_ns() const {
  if (short_ns.empty() || long_ns.empty() || apart == 0) return 0;
  return (percentile_of(long_ns, kQuarter) - percentile_of(short_ns, kQuarter)) /
         static_cast<double>(apart);
}

double OutsideRounds::beside_ns() const {
  return short_ns.empty() ? 0 : percentile_of(short_ns, kQuarter) - call_ns();
}

double OutsideRounds::call_ns_of_long(double beside) const {
  if (long_ns.empty()) return 0;
  return (percentile_of(long_ns, kQuarter) - beside) / static_cast<double>(apart + 1);
}

double OutsideRounds::call_ns_of_short(double beside) const {
  return short_ns.empty() ? 0 : percentile_of(short_ns, kQuarter) - beside;
}

}  // namespace assay::timing
