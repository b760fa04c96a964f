#include "http/client_connection.hpp"

#include <cerrno>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "http/client_tls.hpp"
#include "http/patience.hpp"
#include "http/socket.hpp"
#include "http/url.hpp"

namespace assay::http {
namespace {

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
    if (fd || fd.error().code() != ErrorCode::unavailable) break;
  }
  if (!fd) return std::unexpected(std::move(fd).error());
  ClientConnection connection(*std::move(fd));
  if (url.tls) {
    ASSAY_TRY(connection.tls_, ClientTls::open(connection.fd_.get(), url.host, patience));
  }
  return connection;
}

Result<void> ClientConnection::write(std::string_view bytes, const Patience& patience) {
  return tls_ ? tls_->write(fd_.get(), bytes, patience) : send_all(fd_.get(), bytes, patience);
}

Result<std::size_t> ClientConnection::read(std::span<char> into, const Patience& patience) {
  return tls_ ? tls_->read(fd_.get(), into, patience) : receive_some(fd_.get(), into, patience);
}

bool ClientConnection::is_stale() const {
  if (!fd_) return false;
  char byte = 0;
  const ssize_t count = ::recv(fd_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count >= 0 || errno != EAGAIN;
}

}  // namespace assay::http
