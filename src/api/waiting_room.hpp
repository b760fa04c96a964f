#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "api/context.hpp"
#include "base/mutex.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "queue/watchdog.hpp"
#include "queue/watchers.hpp"

namespace assay::api {

/// Clients of the blocking routes wait here for their jobs, holding no thread.
class WaitingRoom {
 public:
  explicit WaitingRoom(Context& context) : context_(context), watchdog_(context.clock) {}
  ~WaitingRoom();
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;
  WaitingRoom(WaitingRoom&&) = delete;
  WaitingRoom& operator=(WaitingRoom&&) = delete;

  /// Answers with the result of the job when it has one. After the longest wait it answers with 504
  /// and the job's id. The job itself goes on.
  void wait(const JobId& job, http::Responder responder);

  /// Answers whoever waits, now and from now on. The answer is the result if there is one, else 503
  /// and the job's id. The job goes on when the server starts again.
  void close();

 private:
  struct Guest {
    JobId job;
    std::optional<http::Responder> responder;  // gone once answered
    queue::Subscription subscription;
    std::unique_ptr<queue::Alarm> alarm;
  };

  void finish(std::uint64_t guest, const Result<Job>& job);
  void give_up(std::uint64_t guest);
  [[nodiscard]] http::Response farewell(const JobId& id) const;
  [[nodiscard]] std::shared_ptr<Guest> remove(std::uint64_t guest);

  Context& context_;
  queue::Watchdog watchdog_;
  Mutex mutex_;
  // Shared with the thread that answers a guest while it is taken out.
  std::map<std::uint64_t, std::shared_ptr<Guest>> guests_ ASSAY_GUARDED_BY(mutex_);
  std::uint64_t next_ ASSAY_GUARDED_BY(mutex_) = 0;
  bool closed_ ASSAY_GUARDED_BY(mutex_) = false;
};

}  // namespace assay::api
