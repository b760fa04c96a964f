#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::http {

/// Bounds one exchange of a client: a deadline, and a stop that interrupts a wait under way.
class Patience {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Patience>> create(Deadline deadline,
                                                                const std::stop_token& stop);
  /// Waits until `fd` is ready for `events` (as for poll).
  [[nodiscard]] Result<void> wait(int fd, short events) const;

 private:
  Patience(Deadline deadline, const std::stop_token& stop, UniqueFd wake);

  Deadline deadline_;
  std::stop_token stop_;
  UniqueFd wake_;  // readable once stopped
  std::stop_callback<std::function<void()>> on_stop_;
};

// On a socket that does not block.

[[nodiscard]] Result<void> send_all(int fd, std::string_view bytes, const Patience& patience);
/// 0 when the other side has closed.
[[nodiscard]] Result<std::size_t> receive_some(int fd, std::span<char> into,
                                               const Patience& patience);

}  // namespace assay::http
