#include "http/socket.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::http {
namespace {

// The socket interface is defined in terms of this cast.
sockaddr* generic(sockaddr_storage& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

std::string name_of(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const int failed = ::getnameinfo(address, size, host.data(), host.size(), port.data(),
                                   port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  if (failed != 0) return "unknown";
  return host_and_port(host.data(), port.data());
}

std::string network_of(const sockaddr_storage& address) {
  constexpr std::size_t kSite = 8;
  constexpr std::size_t kBeforeMapped = 12;
  if (address.ss_family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    return {reinterpret_cast<const char*>(&ip), sizeof ip};
  }
  if (address.ss_family != AF_INET6) return {};
  const auto& ip = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  const std::string bytes(reinterpret_cast<const char*>(&ip), sizeof ip);
  return IN6_IS_ADDR_V4MAPPED(&ip) ? bytes.substr(kBeforeMapped) : bytes.substr(0, kSite);
}

ErrorCode code_for_bind(int error) {
  return error == EADDRINUSE ? ErrorCode::unavailable : ErrorCode::invalid_argument;
}

Result<UniqueFd> listen_at(const addrinfo& address, const std::string& what) {
  UniqueFd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return std::unexpected(errno_error(what));
  // A restarted server must not wait for old connections to time out. SO_REUSEPORT is left off:
  // with it a second server would silently take half of the requests.
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0 ||
      ::listen(fd.get(), SOMAXCONN) != 0) {
    return std::unexpected(errno_error(what, code_for_bind(errno)));
  }
  return fd;
}

}  // namespace

std::string host_and_port(const std::string& host, const std::string& port) {
  if (host.find(':') != std::string::npos) return "[" + host + "]:" + port;
  return host + ":" + port;
}

Result<UniqueFd> listen_on(const std::string& host, std::uint16_t port) {
  const std::string what = "listen on " + host_and_port(host, std::to_string(port));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) {
    return fail(ErrorCode::invalid_argument, what + ": " + ::gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, ::freeaddrinfo);
  return listen_at(*found, what);
}

Result<std::uint16_t> bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, generic(address), &size) != 0) {
    return std::unexpected(errno_error("read the listening port"));
  }
  const in_port_t port = address.ss_family == AF_INET6
                             ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                             : reinterpret_cast<const sockaddr_in&>(address).sin_port;
  return ntohs(port);
}

Result<Accepted> accept_one(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  UniqueFd fd(::accept4(listener, generic(address), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) {
    const bool is_short = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (is_short) return std::unexpected(errno_error("accept", ErrorCode::resource_exhausted));
    return Accepted{};  // EAGAIN, or a client that left while it waited
  }
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return Accepted{.fd = std::move(fd),
                  .family = address.ss_family,
                  .peer = name_of(generic(address), size),
                  .network = network_of(address)};
}

}  // namespace assay::http
