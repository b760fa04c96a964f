#include "http/client_connection.hpp"

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
#include <string>
#include <string_view>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "http/socket.hpp"
#include "http/url.hpp"

namespace assay::http {
namespace {

int poll_timeout(const Deadline& deadline) {
  // Rounded up, so as not to spin through the last millisecond; bounded to fit an int.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.remaining());
  return static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
}

Result<UniqueFd> connect_to(const addrinfo& address, const std::string& what,
                            const Patience& patience) {
  UniqueFd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return std::unexpected(errno_error(what));
  if (::connect(fd.get(), address.ai_addr, address.ai_addrlen) == 0) return fd;
  if (errno != EINPROGRESS) return std::unexpected(errno_error(what, ErrorCode::unavailable));
  if (auto ready = patience.wait(fd.get(), POLLOUT); !ready) {
    return std::unexpected(std::move(ready).error().while_doing(what));
  }
  int failed = 0;
  socklen_t size = sizeof failed;
  ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &failed, &size);
  if (failed == 0) return fd;
  errno = failed;
  return std::unexpected(errno_error(what, ErrorCode::unavailable));
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

Result<ClientConnection> ClientConnection::open(const BaseUrl& url, const Patience& patience) {
  const std::string what = "connect to " + host_and_port(url.host, url.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int unknown = ::getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found);
  if (unknown != 0) return fail(ErrorCode::unavailable, what + ": " + ::gai_strerror(unknown));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, ::freeaddrinfo);
  Result<UniqueFd> fd = fail(ErrorCode::unavailable, what + ": no address");
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    fd = connect_to(*address, what, patience);
    if (fd) return ClientConnection(*std::move(fd));
    if (fd.error().code() != ErrorCode::unavailable) break;
  }
  return std::unexpected(std::move(fd).error());
}

Result<void> ClientConnection::write(std::string_view bytes, const Patience& patience) const {
  while (!bytes.empty()) {
    // A server that went away must not end this process with SIGPIPE.
    const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (auto ready = patience.wait(fd_.get(), POLLOUT); !ready) return ready;
    } else if (errno != EINTR) {
      return std::unexpected(errno_error("send the request", ErrorCode::unavailable));
    }
  }
  return {};
}

Result<std::size_t> ClientConnection::read(std::span<char> into, const Patience& patience) const {
  while (true) {
    if (auto ready = patience.wait(fd_.get(), POLLIN); !ready) {
      return std::unexpected(std::move(ready).error());
    }
    const ssize_t count = ::recv(fd_.get(), into.data(), into.size(), 0);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EAGAIN && errno != EINTR) {
      return std::unexpected(errno_error("read the answer", ErrorCode::unavailable));
    }
  }
}

bool ClientConnection::is_stale() const {
  if (!fd_) return false;
  char byte = 0;
  const ssize_t count = ::recv(fd_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count >= 0 || errno != EAGAIN;
}

}  // namespace assay::http
