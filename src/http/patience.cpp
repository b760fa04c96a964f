#include "http/patience.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::http {
namespace {

int poll_timeout(const Deadline& deadline) {
  // Rounded up, so as not to spin through the last millisecond; bounded to fit an int.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.remaining());
  return static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
}

}  // namespace

Patience::Patience(Deadline deadline, const std::stop_token& stop, UniqueFd wake)
    : deadline_(deadline),
      stop_(stop),
      wake_(std::move(wake)),
      on_stop_(stop, [fd = wake_.get()] { ::eventfd_write(fd, 1); }) {}

Result<std::unique_ptr<Patience>> Patience::create(Deadline deadline, const std::stop_token& stop) {
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return std::unexpected(errno_error("make an eventfd"));
  return std::unique_ptr<Patience>(new Patience(deadline, stop, std::move(wake)));
}

Result<void> Patience::wait(int fd, short events) const {
  while (true) {
    std::array<pollfd, 2> watched = {{{.fd = fd, .events = events, .revents = 0},
                                      {.fd = wake_.get(), .events = POLLIN, .revents = 0}}};
    const int ready = ::poll(watched.data(), watched.size(), poll_timeout(deadline_));
    if (ready < 0 && errno != EINTR) return std::unexpected(errno_error("poll"));
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "stopped by the caller");
    if (ready > 0 && watched[0].revents != 0) return {};
    if (deadline_.expired()) return fail(ErrorCode::deadline_exceeded, "no answer in time");
  }
}

Result<void> send_all(int fd, std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    // A server that went away must not end this process with SIGPIPE.
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (auto ready = patience.wait(fd, POLLOUT); !ready) return ready;
    } else if (errno != EINTR) {
      return std::unexpected(errno_error("send the request", ErrorCode::unavailable));
    }
  }
  return {};
}

Result<std::size_t> receive_some(int fd, std::span<char> into, const Patience& patience) {
  while (true) {
    if (auto ready = patience.wait(fd, POLLIN); !ready) {
      return std::unexpected(std::move(ready).error());
    }
    const ssize_t count = ::recv(fd, into.data(), into.size(), 0);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EAGAIN && errno != EINTR) {
      return std::unexpected(errno_error("read the answer", ErrorCode::unavailable));
    }
  }
}

}  // namespace assay::http
