#include "device/kernel_times.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cxxabi.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/activity_records.hpp"

namespace assay::device {
namespace {

using std::chrono::nanoseconds;

/// A record's times come from the device and are laid on the host's clock, which is true to
/// microseconds. What is off by more was put on another clock by another client of CUPTI.
constexpr nanoseconds kClockTolerance = std::chrono::seconds(1);

enum class Place { in_call, between_calls, nowhere };

struct Attribution {
  Place place = Place::nowhere;
  std::size_t call = 0;
  bool by_other_thread = false;
};

Attribution attribute(const KernelRecording& recording, const DeviceActivity& activity) {
  const auto& marks = recording.records.marks;
  const auto& launched = recording.records.launched;
  if (const auto mark = marks.find(activity.correlation); mark != marks.end()) {
    if (mark->second == kMarkBetweenCalls) return {.place = Place::between_calls};
    if (mark->second > recording.calls.size()) return {};
    return {.place = Place::in_call, .call = mark->second - 1};
  }
  // Marks belong to threads. What another thread launched, as autograd does, goes by the moment
  // of its launch: that and the windows are on one clock, the host's.
  const auto launch = launched.find(activity.correlation);
  if (launch == launched.end()) return {};
  const auto after = std::ranges::upper_bound(recording.calls, launch->second, {},
                                              [](const CallWindow& call) { return call.begin; });
  if (after == recording.calls.begin()) return {};
  const auto call = std::prev(after);
  if (launch->second > call->end) return {};
  return {.place = Place::in_call,
          .call = static_cast<std::size_t>(call - recording.calls.begin()),
          .by_other_thread = true};
}

bool has_times(const DeviceActivity& activity, const CallWindow& traced) {
  return activity.start.count() != 0 && activity.start <= activity.end &&
         activity.start >= traced.begin - kClockTolerance &&
         activity.end <= traced.end + kClockTolerance;
}

/// `intervals` in any order; some may overlap.
CallKernelTime time_of(std::vector<CallWindow>& intervals) {
  CallKernelTime time{.launches = static_cast<std::uint32_t>(intervals.size())};
  if (intervals.empty()) return time;
  std::ranges::sort(intervals, {}, &CallWindow::begin);
  TraceTime covered = intervals.front().begin;
  for (const CallWindow& interval : intervals) {
    if (interval.end <= covered) continue;
    time.busy += interval.end - std::max(interval.begin, covered);
    covered = interval.end;
  }
  time.span = covered - intervals.front().begin;
  return time;
}

/// "add(float*, int)" of "_Z3addPfi"; other names stay as they are.
std::string readable(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? std::string(text.get()) : name;
}

std::vector<KernelShare> shares_of(std::vector<KernelShare> by_name) {
  std::erase_if(by_name, [](const KernelShare& kernel) { return kernel.launches == 0; });
  nanoseconds all{};
  for (const KernelShare& kernel : by_name) all += kernel.total;
  for (KernelShare& kernel : by_name) {
    kernel.name = readable(kernel.name);
    if (all.count() > 0) {
      kernel.share = static_cast<double>(kernel.total.count()) / static_cast<double>(all.count());
    }
  }
  std::ranges::sort(by_name, [](const KernelShare& a, const KernelShare& b) {
    return a.total != b.total ? a.total > b.total : a.name < b.name;
  });
  return by_name;
}

void say(std::string& reasons, std::uint64_t count, const char* what) {
  if (count == 0) return;
  if (!reasons.empty()) reasons += "; ";
  reasons += std::to_string(count) + " " + what;
}

/// Empty where nothing is lost.
std::string losses_of(const KernelRecording& recording, std::uint64_t untimed,
                      std::uint64_t strays) {
  const TraceLosses& losses = recording.losses;
  std::string reasons;
  say(reasons, losses.dropped, "records dropped by CUPTI");
  say(reasons, losses.refused, "buffers refused, for the calls launch too much");
  say(reasons, losses.not_returned, "buffers that CUPTI did not give back");
  say(reasons, recording.records.unreadable, "buffers with an unreadable record");
  say(reasons, losses.misplaced_marks, "marks of calls that somebody else moved");
  say(reasons, untimed, "kernels or copies without a time, or with one of another clock");
  say(reasons, strays, "kernels or copies that no call launched");
  return reasons;
}

}  // namespace

Result<KernelTimes> kernel_times(const KernelRecording& recording) {
  KernelTimes times;
  std::vector<std::vector<CallWindow>> intervals(recording.calls.size());
  std::vector<KernelShare> by_name(recording.records.names.size());
  for (std::size_t i = 0; i < by_name.size(); ++i) by_name[i].name = recording.records.names[i];
  std::uint64_t untimed = 0;
  std::uint64_t strays = 0;
  for (const DeviceActivity& activity : recording.records.activities) {
    const Attribution found = attribute(recording, activity);
    if (found.place == Place::between_calls) continue;
    if (found.place == Place::nowhere) {
      ++strays;
    } else if (!has_times(activity, recording.traced)) {
      ++untimed;
    } else {
      intervals[found.call].push_back({.begin = activity.start, .end = activity.end});
      ++by_name[activity.name].launches;
      by_name[activity.name].total += activity.end - activity.start;
      times.launches_of_other_threads += found.by_other_thread ? 1 : 0;
    }
  }
  if (const std::string lost = losses_of(recording, untimed, strays); !lost.empty()) {
    return fail(ErrorCode::data_loss, "the trace of kernels is not whole: " + lost);
  }
  for (auto& of_call : intervals) times.calls.push_back(time_of(of_call));
  times.kernels = shares_of(std::move(by_name));
  return times;
}

}  // namespace assay::device
