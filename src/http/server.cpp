#include "http/server.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <expected>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "http/certificates.hpp"
#include "http/router.hpp"
#include "http/session.hpp"
#include "http/socket.hpp"

namespace assay::http {
namespace {

namespace asio = boost::asio;
using IoError = boost::system::error_code;

constexpr int kAcceptsAtOnce = 64;          // then others get their turn
constexpr std::size_t kRefusedAtOnce = 64;  // being told 503, past max_connections
constexpr std::chrono::milliseconds kAcceptPause{50};

}  // namespace

class Server::Impl {
 public:
  Impl(ServerOptions options, Router router, const Log& log,
       std::unique_ptr<Certificates> certificates)
      : shared_(std::move(options), std::move(router), log, std::move(certificates)),
        io_(static_cast<int>(thread_count())),
        strand_(asio::make_strand(io_)),
        listener_(strand_),
        pause_(strand_),
        work_(asio::make_work_guard(io_)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;
  ~Impl() { stop(); }  // NOLINT(bugprone-exception-escape): what cannot stop must not go on

  Result<void> start() {
    const ServerOptions& options = shared_.options;
    ASSAY_TRY(UniqueFd fd, listen_on(options.host, options.port));
    ASSAY_TRY(port_, bound_port(fd.get()));
    IoError error;
    listener_.assign(fd.get(), error);
    if (error) return fail(ErrorCode::internal, "watch the listening socket: " + error.message());
    [[maybe_unused]] const int owned_by_listener = fd.release();
    asio::post(strand_, [this] { wait_for_connection(); });
    for (unsigned i = 0; i < thread_count(); ++i) threads_.emplace_back([this] { run(); });
    return {};
  }

  void drain(Deadline deadline) {
    if (threads_.empty()) return;  // drained before
    shared_.draining = true;
    std::promise<void> closed;
    asio::post(strand_, [this, &closed] {
      close_listener();
      closed.set_value();
    });
    closed.get_future().wait();
    sessions_.drain_all();
    if (!sessions_.wait_until_empty(deadline)) {
      shared_.log.warning("http", "{} connections cut at the end of draining", sessions_.size());
    }
    stop();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

  [[nodiscard]] ServerStats stats() const {
    ServerStats stats{
        .open_connections = sessions_.size(), .buffered = *shared_.buffered, .answers = {}};
    std::ranges::transform(shared_.answers, stats.answers.begin(),
                           [](const auto& count) { return count.load(); });
    return stats;
  }

 private:
  [[nodiscard]] unsigned thread_count() const { return std::max(1U, shared_.options.threads); }

  void run() {
    while (true) {
      try {
        io_.run();
        return;
      } catch (const std::exception& thrown) {
        shared_.log.error("http", "a connection failed: {}", thrown.what());
      }
    }
  }

  void wait_for_connection() {
    if (!listener_.is_open()) return;
    listener_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const IoError& error) {
      if (!error) accept_some();
    });
  }

  void accept_some() {
    for (int i = 0; i < kAcceptsAtOnce && listener_.is_open(); ++i) {
      const std::size_t open = sessions_.size();
      const std::size_t limit = shared_.options.max_connections;
      if (open >= limit + kRefusedAtOnce) return accept_later();
      auto accepted = accept_one(listener_.native_handle());
      if (!accepted) {
        shared_.log.warning("http", "{}", accepted.error().message());
        return accept_later();
      }
      if (!accepted->fd) break;
      const bool has_room = open < limit || sessions_.make_room();
      start_session(io_, *std::move(accepted), has_room ? Admission::serve : Admission::refuse,
                    shared_, sessions_);
    }
    wait_for_connection();
  }

  void accept_later() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const IoError& error) {
      if (!error) accept_some();
    });
  }

  void close_listener() {
    IoError ignored;
    listener_.close(ignored);
    pause_.cancel();
  }

  // Lets every queued operation come to its end, cancelled, instead of stopping the context:
  // what is still queued in a stopped one would keep connections alive past their server.
  void stop() {
    if (threads_.empty()) return;
    asio::post(strand_, [this] {
      close_listener();
      sessions_.close_all();
    });
    work_.reset();
    threads_.clear();  // joins
  }

  Shared shared_;
  asio::io_context io_;
  asio::strand<asio::io_context::executor_type> strand_;  // of the listener
  asio::posix::stream_descriptor listener_;
  asio::steady_timer pause_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  SessionSet sessions_;
  std::uint16_t port_ = 0;
  std::vector<std::jthread> threads_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Router router,
                                              const Log& log) {
  static const SystemClock kClock;
  std::unique_ptr<Certificates> certificates;
  if (options.tls) {
    ASSAY_TRY(certificates, Certificates::open(*options.tls, kClock, log));
  }
  auto impl =
      std::make_unique<Impl>(std::move(options), std::move(router), log, std::move(certificates));
  if (auto started = impl->start(); !started) return std::unexpected(std::move(started).error());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const {
  return impl_->port();
}

ServerStats Server::stats() const {
  return impl_->stats();
}

void Server::drain(Deadline deadline) {
  impl_->drain(deadline);
}

}  // namespace assay::http
