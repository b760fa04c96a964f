#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"

namespace assay::tracer {

/// The buffers that CUPTI fills and the writer empties, used again and again. The limit bounds how
/// many are handed out. So a program that is faster than the disk loses records, and not its
/// memory.
class BufferPool {
 public:
  /// Larger ones stall the launch that asks for one: CUPTI clears a buffer before it uses it.
  static constexpr std::size_t kSize = std::size_t{256} << 10U;

  explicit BufferPool(std::size_t most_bytes);

  /// A buffer of kSize bytes, or null where the limit is reached.
  [[nodiscard]] std::uint8_t* lend();
  /// Takes a buffer whose first `valid` bytes are records.
  void take_back(std::uint8_t* buffer, std::size_t valid);

  struct Filled {
    std::unique_ptr<std::uint8_t[]> buffer;
    std::size_t valid = 0;
    [[nodiscard]] std::span<std::uint8_t> records() const { return {buffer.get(), valid}; }
  };
  /// All that were taken back since the last call.
  [[nodiscard]] std::vector<Filled> filled();
  /// Gives them back, to be lent again.
  void emptied(std::vector<Filled> buffers);

  /// More than half of what may be lent waits to be written.
  [[nodiscard]] bool is_pressed();
  /// How often a buffer was asked for and not given.
  [[nodiscard]] std::uint64_t refused();

 private:
  const std::size_t most_;
  Mutex mutex_;
  std::unordered_map<std::uint8_t*, std::unique_ptr<std::uint8_t[]>> lent_ ASSAY_GUARDED_BY(mutex_);
  std::vector<Filled> filled_ ASSAY_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<std::uint8_t[]>> free_ ASSAY_GUARDED_BY(mutex_);
  std::size_t made_ ASSAY_GUARDED_BY(mutex_) = 0;
  std::uint64_t refused_ ASSAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace assay::tracer
