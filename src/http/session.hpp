#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
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
  /// Closes it if it waits for its client: to say something, or to read its answer.
  virtual void queue_yield() = 0;
};

enum class Admission : std::uint8_t { serve, refuse };

/// Starts a connection and puts it into `sessions`, where it stays until closed. `refuse` answers
/// 503 and closes.
void start_session(boost::asio::io_context& io, Accepted accepted, Admission admission,
                   Shared& shared, SessionSet& sessions);

/// The open connections.
class SessionSet {
 public:
  /// `network` is where the client is. It rests until it has sent a request.
  void add(std::shared_ptr<Connection> session, std::string network);
  void remove(const Connection* session);
  /// It waits for its client, who was just heard of.
  void rest(const Connection* session);
  /// A request of it is being handled.
  void work(const Connection* session);
  /// Closes the connection that has rested longest, of the network that has most of those that
  /// rest. So who holds many makes room, and others keep theirs. False if none rests.
  [[nodiscard]] bool make_room();
  /// It was told to make room, and cannot.
  void stay(const Connection* session);
  /// Without those that were told to make room.
  [[nodiscard]] std::size_t size() const;
  void drain_all();
  void close_all();
  /// False if some are still open at the deadline.
  [[nodiscard]] bool wait_until_empty(Deadline deadline);

 private:
  using Resting = std::list<const Connection*>;  // the longest first
  struct Entry {
    std::shared_ptr<Connection> session;  // shared with the operations it has under way
    std::string network;
    std::optional<Resting::iterator> resting{};
    bool leaves = false;
  };
  void rest(Entry& entry) ASSAY_REQUIRES(mutex_);
  void work(Entry& entry) ASSAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::condition_variable_any emptied_;
  std::unordered_map<const Connection*, Entry> sessions_ ASSAY_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Resting> resting_ ASSAY_GUARDED_BY(mutex_);  // by network
  std::size_t leaving_ ASSAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace assay::http
