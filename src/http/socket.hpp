#pragma once

#include <cstdint>
#include <string>

#include <sys/socket.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::http {

// All descriptors made here are close-on-exec from the start: a child started by another thread
// must never inherit a connection or the listener. Asio's own accept() leaves a gap.

/// A non-blocking listening socket.
[[nodiscard]] Result<UniqueFd> listen_on(const std::string& host, std::uint16_t port);

[[nodiscard]] Result<std::uint16_t> bound_port(int fd);

struct Accepted {
  UniqueFd fd;
  int family = AF_UNSPEC;
  std::string peer;     // "127.0.0.1:51324"
  std::string network;  // the peer's address in bytes; of IPv6 the half that a site is given
};

/// The next waiting connection. An empty descriptor means that none waits; an Error, that the
/// process or the host is short of something.
[[nodiscard]] Result<Accepted> accept_one(int listener);

/// "127.0.0.1:8000", "[::1]:8000".
[[nodiscard]] std::string host_and_port(const std::string& host, const std::string& port);

}  // namespace assay::http
