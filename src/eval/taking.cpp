#include "eval/taking.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/processor_use.hpp"
#include "eval/answer.hpp"
#include "eval/clock_check.hpp"
#include "eval/contender.hpp"
#include "eval/runner.hpp"
#include "timing/batch.hpp"

namespace assay::eval {
namespace {

/// The sum of claimed times, if calls that took far longer than the others did so because they had
/// to wait, for `waited` ns at most.
double without_waits(std::vector<double> times, double waited) {
  constexpr double kFarLonger = 4;
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  const double most = kFarLonger * *middle;
  double usual = 0;
  for (const double time : times) usual += std::min(time, most);
  return std::max(usual, sum - waited);
}

}  // namespace

Attempt<void> Taking::take(int samples, const Bounds& bounds) {
  constexpr std::chrono::nanoseconds kNothing{0};
  const SteadyTime start = clock_.now();
  const auto cpu_before = contender_.cpu_time();
  auto times = contender_.time(samples, bounds);
  if (!times) return std::unexpected(std::move(times).error());
  ++commands_;
  wall_ += clock_.now() - start;
  claimed_.insert(claimed_.end(), times->begin(), times->end());
  const auto cpu_after = contender_.cpu_time();
  if (cpu_before && cpu_after) cpu_ = cpu_.value_or(kNothing) + (*cpu_after - *cpu_before);
  return {};
}

timing::Batch Taking::batch(ClockCheck& check, std::size_t copied, std::size_t tensors) {
  check.add({.wall = wall_,
             .cpu = cpu_,
             .claimed_ns = claimed_,
             .restored = contender_.restored_bytes() + copied,
             .commands = commands_,
             .tensors = tensors});
  return timing::make_batch(std::move(claimed_), wall_);
}

Attempt<std::optional<double>> time_beside_calls(Contender& contender, bool is_reference, int calls,
                                                 const Clock& clock, const Bounds& bounds) {
  const SteadyTime start = clock.now();
  const auto cpu_before = contender.cpu_time();
  const auto use_before = contender.processor_use();
  auto times = contender.time(calls, bounds);
  if (!times) return std::unexpected(std::move(times).error());
  std::chrono::nanoseconds spent = clock.now() - start;
  double claimed = std::accumulate(times->begin(), times->end(), 0.0);
  if (!is_reference) {
    const auto cpu_after = contender.cpu_time();
    const auto use_after = contender.processor_use();
    if (!cpu_before || !cpu_after) return std::nullopt;
    if (use_before && use_after) {
      const auto waited = use_after->waited - use_before->waited;
      spent -= waited / 2;  // by two threads or more, or else less was computed than passed
      claimed = without_waits(*times, static_cast<double>(waited.count()));
    }
    spent = std::min<std::chrono::nanoseconds>(spent, *cpu_after - *cpu_before);
  }
  return (static_cast<double>(spent.count()) - claimed) / calls;
}

}  // namespace assay::eval
