#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

namespace assay::http {

using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

/// A timeout that is moved far more often than it fires, for example by every request. Moving it
/// only notes the new moment. The timer that already runs looks at it when it fires. For use on the
/// strand alone.
class LazyTimer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LazyTimer(const Strand& strand) : timer_(strand) {}

  /// Calls `fire` once, `from_now`, unless set again, cleared or cancelled before. The owner is
  /// kept alive until then.
  template <class Owner>
  void set(std::chrono::nanoseconds from_now, std::shared_ptr<Owner> owner, void (Owner::*fire)()) {
    due_ = Clock::now() + from_now;
    if (!running_ || due_ < timer_.expiry()) run(std::move(owner), fire);
  }
  void clear() { due_ = Clock::time_point::max(); }
  void cancel() {
    clear();
    timer_.cancel();
  }

 private:
  template <class Owner>
  void run(std::shared_ptr<Owner> owner, void (Owner::*fire)()) {
    running_ = true;
    timer_.expires_at(due_);
    timer_.async_wait([this, owner = std::move(owner), fire](const auto& error) {
      if (error) return;
      running_ = false;
      if (due_ == Clock::time_point::max()) return;
      if (Clock::now() < due_) return run(owner, fire);
      ((*owner).*fire)();
    });
  }

  boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Strand> timer_;
  Clock::time_point due_ = Clock::time_point::max();
  bool running_ = false;
};

}  // namespace assay::http
