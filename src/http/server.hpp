#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "http/router.hpp"

namespace assay::http {

/// What a server shows of itself under TLS: its certificate with those that vouch for it, and the
/// key, as PEM. Both are read again when they change.
struct CertificateFiles {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8000;  // 0: any free one, see Server::port()
  std::size_t max_body = std::size_t{32} << 20U;
  std::size_t max_header = std::size_t{16} << 10U;
  /// For all bodies on their way together; a request that would go past it is answered 503.
  std::size_t max_buffered = std::size_t{512} << 20U;
  /// For the bodies of all large answers that are being written; one that would go past it becomes
  /// a 503.
  std::size_t max_outgoing = std::size_t{512} << 20U;
  /// Bytes of events one client may leave unread before it is disconnected.
  std::size_t max_stream_backlog = std::size_t{1} << 20U;
  /// For the whole head, from its first byte; a new connection must begin one within it too.
  std::chrono::nanoseconds header_timeout = std::chrono::seconds(10);
  std::chrono::nanoseconds body_timeout = std::chrono::seconds(60);   // for the whole body
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(75);   // between requests
  std::chrono::nanoseconds write_timeout = std::chrono::seconds(60);  // without progress
  /// A client that reads an answer more slowly is disconnected, once `write_timeout` has passed.
  std::size_t slowest_reader = std::size_t{64} << 10U;                // bytes a second
  std::chrono::nanoseconds ping_interval = std::chrono::seconds(15);  // on silent event streams
  /// After which an event stream is ended; its client can come back with Last-Event-ID.
  std::chrono::nanoseconds stream_lifetime = std::chrono::hours(1);
  /// Event streams past this are answered 503 with Retry-After, so that connections are left for
  /// everything else.
  std::size_t max_streams = 2048;
  unsigned threads = 2;
  /// For each connection past this another one is closed: one that waits for its client
  /// (SessionSet::make_room). If there is none, the new one is answered 503 with Retry-After. A few
  /// dozen are refused at the same time. Further ones wait in the kernel's queue.
  std::size_t max_connections = 4096;
  std::optional<CertificateFiles> tls{};  // absent: in the clear
};

struct ServerStats {
  std::size_t open_connections = 0;
  std::size_t buffered = 0;                // bytes of bodies on their way or with a handler
  std::array<std::uint64_t, 6> answers{};  // by hundreds of the status: answers[2] is 2xx
};

/// Serves HTTP/1.1 and 1.0 on threads of its own. Its destructor closes every connection at once.
/// It waits for handlers that are running, but not for Responders that are still held. Those may
/// outlive the server, and then answer nobody.
class Server {
 public:
  /// `log` outlives the server. Fails with `unavailable` if the port is taken. Fails with
  /// `invalid_argument` if the host is not one of this machine, or if the certificate cannot be
  /// used.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(ServerOptions options, Router router,
                                                             const Log& log);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(Server&&) = delete;
  ~Server();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] ServerStats stats() const;

  /// Accepts nothing more, lets requests in progress be answered, and ends event streams. Returns
  /// when all connections are closed. At the deadline it cuts those that are left. Not to be called
  /// from a handler.
  void drain(Deadline deadline);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::http
