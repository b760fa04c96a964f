#include "device/activity_buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/mutex.hpp"

namespace assay::device {
namespace {

/// Made before the trace begins, so that no launch waits for fresh pages. 2 MiB hold some 7,000
/// launches.
constexpr std::size_t kReady = 8;

}  // namespace

ActivityBuffers& ActivityBuffers::of_process() {
  // Never destroyed: CUPTI's threads may still call while the process ends.
  static auto* const kBuffers = new ActivityBuffers;
  return *kBuffers;
}

void ActivityBuffers::begin(std::size_t limit) {
  const MutexLock lock(mutex_);
  ++trace_;
  left_ = limit;
  contents_ = {};
  while (ready_.size() < std::min(kReady, limit)) {
    ready_.push_back(std::make_unique<std::uint8_t[]>(kSize));
  }
}

std::uint8_t* ActivityBuffers::lend() {
  const MutexLock lock(mutex_);
  if (left_ == 0) {
    ++contents_.refused;
    return nullptr;
  }
  --left_;
  if (ready_.empty()) ready_.push_back(std::make_unique<std::uint8_t[]>(kSize));
  std::unique_ptr<std::uint8_t[]> buffer = std::move(ready_.back());
  ready_.pop_back();
  std::uint8_t* const address = buffer.get();
  lent_.emplace(address, Lent{.buffer = std::move(buffer), .trace = trace_});
  return address;
}

void ActivityBuffers::take_back(std::uint8_t* buffer, std::size_t valid) {
  const MutexLock lock(mutex_);
  const auto lent = lent_.find(buffer);
  if (lent == lent_.end()) return;
  if (lent->second.trace == trace_) {
    contents_.filled.push_back(
        {.buffer = std::move(lent->second.buffer), .valid = std::min(valid, kSize)});
  }
  lent_.erase(lent);
}

ActivityBuffers::Contents ActivityBuffers::end() {
  const MutexLock lock(mutex_);
  for (const auto& [address, lent] : lent_) {
    if (lent.trace == trace_) ++contents_.not_returned;
  }
  ++trace_;
  left_ = 0;
  return std::exchange(contents_, {});
}

}  // namespace assay::device
