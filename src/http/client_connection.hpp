#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "http/url.hpp"

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

/// The client's end of a connection, closed until opened. Blocks, but never past its Patience.
class ClientConnection {
 public:
  ClientConnection() = default;
  [[nodiscard]] static Result<ClientConnection> open(const BaseUrl& url, const Patience& patience);

  [[nodiscard]] Result<void> write(std::string_view bytes, const Patience& patience) const;
  /// 0 when the server has closed its side.
  [[nodiscard]] Result<std::size_t> read(std::span<char> into, const Patience& patience) const;
  /// Whether the server closed, or said something unasked for, while nothing was going on.
  [[nodiscard]] bool is_stale() const;
  [[nodiscard]] bool is_open() const { return static_cast<bool>(fd_); }

 private:
  explicit ClientConnection(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace assay::http
