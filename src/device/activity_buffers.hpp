#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"

namespace assay::device {

/// The buffers that CUPTI fills. It asks for them and gives them back on threads of its own,
/// through functions that take no argument of ours. It may give one back long after a trace has
/// ended. So there is one of these, for as long as the process lives.
class ActivityBuffers {
 public:
  /// Larger ones stall the launch that asks for one: CUPTI clears a buffer before it uses it.
  static constexpr std::size_t kSize = std::size_t{256} << 10U;

  [[nodiscard]] static ActivityBuffers& of_process();

  /// Begins a trace that may use `limit` buffers. What an earlier one lent is no longer awaited.
  void begin(std::size_t limit);
  /// A buffer of kSize bytes, or null where the limit is reached.
  [[nodiscard]] std::uint8_t* lend();
  /// Takes a buffer whose first `valid` bytes are records. One that was not lent for this trace is
  /// dropped: its records belong to another.
  void take_back(std::uint8_t* buffer, std::size_t valid);

  struct Filled {
    std::unique_ptr<std::uint8_t[]> buffer;
    std::size_t valid = 0;
    [[nodiscard]] std::span<std::uint8_t> records() const { return {buffer.get(), valid}; }
  };
  struct Contents {
    std::vector<Filled> filled;
    std::size_t refused = 0;
    std::size_t not_returned = 0;
  };
  /// Ends the trace that begin() began.
  [[nodiscard]] Contents end();

 private:
  struct Lent {
    std::unique_ptr<std::uint8_t[]> buffer;
    std::uint64_t trace = 0;
  };

  Mutex mutex_;
  std::uint64_t trace_ ASSAY_GUARDED_BY(mutex_) = 0;
  std::size_t left_ ASSAY_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<std::uint8_t[]>> ready_ ASSAY_GUARDED_BY(mutex_);
  std::unordered_map<std::uint8_t*, Lent> lent_ ASSAY_GUARDED_BY(mutex_);
  Contents contents_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::device
