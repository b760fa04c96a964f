#include "tracer/buffer_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.hpp"

namespace assay::tracer {

BufferPool::BufferPool(std::size_t most_bytes)
    : most_(std::max<std::size_t>(most_bytes / kSize, 2)) {}

std::uint8_t* BufferPool::lend() {
  const MutexLock lock(mutex_);
  std::unique_ptr<std::uint8_t[]> buffer;
  if (!free_.empty()) {
    buffer = std::move(free_.back());
    free_.pop_back();
  } else if (made_ < most_) {
    buffer = std::make_unique_for_overwrite<std::uint8_t[]>(kSize);
    ++made_;
  } else {
    ++refused_;
    return nullptr;
  }
  std::uint8_t* address = buffer.get();
  lent_.emplace(address, std::move(buffer));
  return address;
}

void BufferPool::take_back(std::uint8_t* buffer, std::size_t valid) {
  const MutexLock lock(mutex_);
  const auto found = lent_.find(buffer);
  if (found == lent_.end()) return;  // another client's
  filled_.push_back({.buffer = std::move(found->second), .valid = std::min(valid, kSize)});
  lent_.erase(found);
}

std::vector<BufferPool::Filled> BufferPool::filled() {
  const MutexLock lock(mutex_);
  return std::exchange(filled_, {});
}

void BufferPool::emptied(std::vector<Filled> buffers) {
  const MutexLock lock(mutex_);
  for (Filled& one : buffers) free_.push_back(std::move(one.buffer));
}

bool BufferPool::is_pressed() {
  const MutexLock lock(mutex_);
  return filled_.size() > most_ / 2;
}

std::uint64_t BufferPool::refused() {
  const MutexLock lock(mutex_);
  return refused_;
}

}  // namespace assay::tracer
