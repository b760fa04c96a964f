#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/unique_fd.hpp"
#include "http/router.hpp"
#include "http/server.hpp"

namespace assay::http {

inline const SystemClock kClock;

/// Long enough that only a hang reaches it, sanitizers and a busy machine included.
inline Deadline patient() {
  return {kClock, std::chrono::seconds(30)};
}

/// A client that sends whatever bytes a test likes.
class Peer {
 public:
  /// `from` is its own address, one of 127.0.0.0/8.
  explicit Peer(std::uint16_t port, in_addr_t from = INADDR_LOOPBACK)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(from);
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  /// False once the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void finish_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  /// Closes with a reset instead of the usual farewell.
  void vanish() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    fd_.reset();
  }
  void close() { fd_.reset(); }

  /// Up to and with `end`; what there is if the server closes first.
  std::string read_until(std::string_view end) {
    while (received_.find(end) == std::string::npos && receive()) {
    }
    const std::size_t at = received_.find(end);
    return take(at == std::string::npos ? received_.size() : at + end.size());
  }
  /// The head and as many bytes as its Content-Length says.
  std::string read_answer() {
    const std::string head = read_until("\r\n\r\n");
    const std::size_t at = head.find("Content-Length: ");
    const std::size_t length = at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
    while (received_.size() < length && receive()) {
    }
    return head + take(std::min(length, received_.size()));
  }
  /// Everything until the server closes.
  std::string read_all() {
    while (receive()) {
    }
    return take(received_.size());
  }
  /// What comes next; empty once the server has closed.
  std::string read_some() {
    if (received_.empty()) receive();
    return take(received_.size());
  }
  /// Whether the last read ended in a reset.
  [[nodiscard]] bool was_reset() const { return was_reset_; }

 private:
  bool receive() {
    pollfd watched{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, 30'000) <= 0) {
      ADD_FAILURE() << "the server neither answered nor closed";
      return false;
    }
    std::array<char, 65536> bytes{};
    const ssize_t count = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    was_reset_ = count < 0;
    if (count <= 0) return false;
    received_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t count) {
    std::string taken = received_.substr(0, count);
    received_.erase(0, count);
    return taken;
  }

  UniqueFd fd_;
  std::string received_;
  bool was_reset_ = false;
};

/// Collects what is logged.
class LogPipe {
 public:
  LogPipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    reader_ = UniqueFd(ends[0]);
    writer_ = UniqueFd(ends[1]);
    log_ = std::make_unique<Log>(writer_.get());
  }
  [[nodiscard]] const Log& log() const { return *log_; }
  std::string text() {
    std::string bytes(65536, '\0');
    const ssize_t count = ::read(reader_.get(), bytes.data(), bytes.size());
    bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return bytes;
  }

 private:
  UniqueFd reader_;
  UniqueFd writer_;
  std::unique_ptr<Log> log_;
};

/// A server on a free port. Routes are added before start().
class ServerTest : public testing::Test {
 protected:
  ServerTest() { options.port = 0; }

  void start() {
    auto started = Server::start(options, std::move(router), logged.log());
    ASSERT_TRUE(started) << started.error().message();
    server = *std::move(started);
  }
  /// Answers "METHOD path body".
  static void echo(Request request, Responder responder) {
    responder.send(Response::text(
        200, fmt::format("{} {} {}", to_string(request.method), request.path, request.body)));
  }
  [[nodiscard]] Peer peer() const { return Peer(server->port()); }
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server->port());
  }
  /// What the server says to these bytes, until it closes.
  [[nodiscard]] std::string answer_to(std::string_view bytes) const {
    Peer client = peer();
    client.send(bytes);
    return client.read_all();
  }

  LogPipe logged;
  ServerOptions options;
  Router router;
  std::unique_ptr<Server> server;
};

}  // namespace assay::http
