#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "http/socket.hpp"

namespace assay::http {

class Certificates;
class SessionSet;

/// What the connections of one server share.
struct Shared {
  Shared(ServerOptions wanted, Router routes, const Log& sink, std::unique_ptr<Certificates> shown);
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  Shared(Shared&&) = delete;
  Shared& operator=(Shared&&) = delete;
  ~Shared();

  const ServerOptions options;
  const Router router;
  const Log& log;
  const std::unique_ptr<Certificates> certificates;  // null: without TLS
  std::atomic<bool> draining = false;
  /// Bytes of bodies that are on their way or with a handler, who may outlive the server.
  const std::shared_ptr<std::atomic<std::size_t>> buffered =
      std::make_shared<std::atomic<std::size_t>>(0);
  /// Bytes of bodies of answers that are being written.
  const std::shared_ptr<std::atomic<std::size_t>> outgoing =
      std::make_shared<std::atomic<std::size_t>>(0);
  const std::shared_ptr<std::atomic<std::size_t>> streams =
      std::make_shared<std::atomic<std::size_t>>(0);  // that are open
  std::array<std::atomic<std::uint64_t>, 6> answers{};
};

/// One connection's part of such a sum, given back when it dies.
class BufferedShare {
 public:
  explicit BufferedShare(std::shared_ptr<std::atomic<std::size_t>> total)
      : total_(std::move(total)) {}
  BufferedShare(const BufferedShare&) = delete;
  BufferedShare& operator=(const BufferedShare&) = delete;
  BufferedShare(BufferedShare&&) = delete;
  BufferedShare& operator=(BufferedShare&&) = delete;
  ~BufferedShare() { clear(); }

  /// False if this share would grow and all shares together would then exceed `limit`. Then it
  /// stays as it was, so that what does not fit takes no room from others.
  [[nodiscard]] bool set(std::size_t bytes, std::size_t limit) {
    std::size_t total = *total_;
    do {
      if (bytes > mine_ && total + (bytes - mine_) > limit) return false;
    } while (!total_->compare_exchange_weak(total, total - mine_ + bytes));
    mine_ = bytes;
    return true;
  }
  void clear() { *total_ -= std::exchange(mine_, 0); }

 private:
  std::shared_ptr<std::atomic<std::size_t>> total_;  // shared with the server
  std::size_t mine_ = 0;
};

/// One connection. All its work happens on a strand, so it needs no lock; these functions may be
/// called from any thread.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;
  virtual ~Connection() = default;

  virtual void queue_drain() = 0;
  virtual void queue_close() = 0;
};

enum class Admission : std::uint8_t { serve, refuse };

/// Starts a connection and puts it into `sessions`, where it stays until closed. `refuse` answers
/// 503 and closes.
void start_session(boost::asio::io_context& io, Accepted accepted, Admission admission,
                   Shared& shared, SessionSet& sessions);

/// The open connections.
class SessionSet {
 public:
  void add(std::shared_ptr<Connection> session);
  void remove(const Connection* session);
  [[nodiscard]] std::size_t size() const;
  void drain_all();
  void close_all();
  /// False if some are still open at the deadline.
  [[nodiscard]] bool wait_until_empty(Deadline deadline);

 private:
  mutable Mutex mutex_;
  std::condition_variable_any emptied_;
  // Shared with the operations each connection has under way.
  std::unordered_map<const Connection*, std::shared_ptr<Connection>> sessions_
      ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::http
