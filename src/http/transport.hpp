#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/ssl/stream_base.hpp>

#include "base/unique_fd.hpp"
#include "http/lazy_timer.hpp"

namespace assay::http {

/// The bytes of one connection, in the clear or under TLS. For the connection's strand.
class Transport {
 public:
  explicit Transport(const Strand& strand) : socket_(strand) {}

  [[nodiscard]] bool adopt(UniqueFd fd, int family) {
    IoError error;
    socket_.assign(boost::asio::generic::stream_protocol(family, 0), fd.get(), error);
    if (error) return false;
    [[maybe_unused]] const int owned_by_socket = fd.release();
    return true;
  }

  /// Before anything is read or written; async_handshake is then the first thing to do.
  void protect(boost::asio::ssl::context& context) { tls_.emplace(socket_, context); }
  [[nodiscard]] bool is_protected() const { return tls_.has_value(); }

  template <class Handler>
  void async_handshake(Handler handler) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::move(handler));
  }
  template <class Buffer, class Handler>
  void async_read_some(const Buffer& into, Handler handler) {
    if (tls_) return tls_->async_read_some(into, std::move(handler));
    socket_.async_read_some(into, std::move(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& bytes, Handler handler) {
    if (tls_) return tls_->async_write_some(bytes, std::move(handler));
    socket_.async_write_some(bytes, std::move(handler));
  }
  /// Tells the client that nothing more comes, and waits for it to say the same. TLS only.
  template <class Handler>
  void async_farewell(Handler handler) {
    tls_->async_shutdown(std::move(handler));
  }
  /// The same without TLS, where it needs no answer. Under TLS nothing is said.
  void shutdown_send() {
    IoError ignored;
    if (!tls_) socket_.shutdown(Socket::shutdown_send, ignored);
  }

  /// Whether the client has sent something that was not read yet.
  [[nodiscard]] bool has_unread() const {
    IoError ignored;
    return socket_.available(ignored) > 0;
  }
  void close() {
    IoError ignored;
    socket_.close(ignored);
  }

 private:
  using IoError = boost::system::error_code;
  using Socket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, Strand>;

  Socket socket_;
  std::optional<boost::asio::ssl::stream<Socket&>> tls_;
};

}  // namespace assay::http
