#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"

namespace assay::api {

/// Does what takes long, above all reading large bodies, on threads of its own. The server's
/// threads must stay free for everybody else. One thread here keeps to small requests, so that a
/// few large ones hold nobody up. The server bounds how much may wait: bodies count as buffered
/// until their requests are gone.
class Desk {
 public:
  static constexpr std::size_t kLarge = std::size_t{1} << 20U;

  /// `log` outlives this.
  explicit Desk(const Log& log);
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  Desk(Desk&&) = delete;
  Desk& operator=(Desk&&) = delete;
  /// Waits for what is being done; the rest is left unanswered.
  ~Desk() = default;

  /// The same handler, called by a thread of this. It must not be called once this is gone.
  [[nodiscard]] http::Handler at_desk(http::Handler handler);

 private:
  struct Errand {
    http::Request request;
    http::Responder responder;
    std::shared_ptr<const http::Handler> handler;  // shared with the router and other errands
  };
  using Errands = std::deque<Errand>;

  void work(const std::stop_token& stop, bool takes_large);
  void run(Errand errand) const;

  const Log& log_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  Errands small_ ASSAY_GUARDED_BY(mutex_);
  Errands large_ ASSAY_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: they use all above
};

}  // namespace assay::api
