#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include <poll.h>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::process {

/// A descriptor that becomes readable when stop is requested, so that one poll can wait for both.
class StopDescriptor {
 public:
  explicit StopDescriptor(const std::stop_token& stop);
  /// -1, which poll ignores, where stop can never be requested.
  [[nodiscard]] int fd() const { return event_.get(); }

 private:
  UniqueFd event_;
  std::optional<std::stop_callback<std::function<void()>>> callback_;
};

/// poll that retries after signals and never waits past `wait`. True if some entry is ready.
[[nodiscard]] Result<bool> poll_for(std::span<pollfd> entries, std::chrono::nanoseconds wait);

/// Waits until `fd` has one of `events`, an error or a hang-up. Fails with `deadline_exceeded` or
/// `cancelled`; a descriptor that is ready wins over both.
[[nodiscard]] Result<void> wait_ready(int fd, short events, Deadline deadline,
                                      const std::stop_token& stop = {});

}  // namespace assay::process
