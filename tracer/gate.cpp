#include "tracer/gate.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "device/cupti_api.hpp"
#include "tracer/batch.hpp"
#include "tracer/settings.hpp"

namespace assay::tracer {
namespace {

std::int64_t nanoseconds(std::chrono::milliseconds time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

/// As nsys has it, a backslash makes the sign of a domain a part of the name.
bool is_escaped(std::string_view range, std::size_t at) {
  return at > 0 && range[at - 1] == '\\';
}

std::string without_escapes(std::string_view range) {
  std::string out;
  for (std::size_t at = 0; at < range.size(); ++at) {
    if (!range.substr(at).starts_with("\\@")) out += range[at];
  }
  return out;
}

}  // namespace

Gate::Gate(const Settings& settings)
    : whole_(without_escapes(settings.range)),
      range_(settings.range),
      profiler_calls_(settings.profiler_calls) {
  const std::size_t at = range_.rfind('@');
  if (at != std::string::npos && !is_escaped(range_, at)) {
    domain_ = range_.substr(at + 1);
    range_.resize(at);
    any_domain_ = domain_ == "*";
  }
  range_ = without_escapes(range_);
  is_set_ = !whole_.empty() || profiler_calls_ || settings.delay || settings.duration;
  if (whole_.empty() && !profiler_calls_) {
    Window window;
    if (settings.delay) window.open = settings.epoch + nanoseconds(*settings.delay);
    if (settings.duration) {
      window.close = std::max(window.open, settings.epoch) + nanoseconds(*settings.duration);
    }
    windows_.push_back(window);
  }
}

bool Gate::fits(std::string_view name, std::string_view domain) const {
  if (whole_.empty()) return false;
  return name == whole_ || (name == range_ && (any_domain_ || domain == domain_));
}

void Gate::range_opened(std::string_view name, std::string_view domain, std::uint64_t key,
                        std::int64_t time) {
  if (!fits(name, domain)) return;
  const MutexLock lock(mutex_);
  if (range_key_ != 0) return;
  range_key_ = key;
  windows_.push_back({.open = time});
}

void Gate::range_closed(std::uint64_t key, std::int64_t time) {
  if (whole_.empty()) return;
  const MutexLock lock(mutex_);
  if (key == range_key_ && !windows_.empty()) windows_.back().close = time;
}

void Gate::profiler_called(bool start, std::int64_t time) {
  if (!profiler_calls_) return;
  const MutexLock lock(mutex_);
  const bool open = !windows_.empty() && windows_.back().close > time;
  if (start && !open) windows_.push_back({.open = time});
  if (!start && open) windows_.back().close = time;
}

bool Gate::is_open_at(std::int64_t time) {
  if (!is_set_) return true;
  const MutexLock lock(mutex_);
  return std::ranges::any_of(
      windows_, [&](const Window& window) { return time >= window.open && time <= window.close; });
}

template <class Record>
void Gate::filter_work(std::vector<Record> Batch::* work, Batch& batch, bool last) {
  std::vector<Record> kept;
  std::vector<Record> waits;
  std::vector<Record> waited;
  const auto sort = [&](std::vector<Record>& from, std::vector<Record>* otherwise) {
    for (const Record& record : from) {
      if (calls_.contains(record.correlation)) {
        kept.push_back(record);
      } else if (otherwise != nullptr && !last) {
        otherwise->push_back(record);
      }
    }
  };
  sort(held_before_.*work, nullptr);
  sort(held_.*work, &waited);
  sort(batch.*work, &waits);
  held_before_.*work = std::move(waited);
  held_.*work = std::move(waits);
  batch.*work = std::move(kept);
}

void Gate::filter(Batch& batch, bool last) {
  if (!is_set_) return;
  std::erase_if(batch.calls, [&](const device::cupti::CallRecord& call) {
    return !is_open_at(static_cast<std::int64_t>(call.start));
  });
  for (const device::cupti::CallRecord& call : batch.calls) calls_.insert(call.correlation);
  filter_work(&Batch::kernels, batch, last);
  filter_work(&Batch::copies, batch, last);
  filter_work(&Batch::peer_copies, batch, last);
  filter_work(&Batch::fills, batch, last);
}

}  // namespace assay::tracer
