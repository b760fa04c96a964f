#pragma once

#include <condition_variable>
#include <deque>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/task.hpp"
#include "process/frame_channel.hpp"

namespace assay::worker {

/// A task, and the token that says when it shall stop.
struct OrderedTask {
  EvaluationTask task;
  std::stop_token stop;
};

/// What a server tells its worker. A thread of its own listens, so that a task can be stopped while
/// it is carried out.
class Inbox {
 public:
  /// Only receives; `channel` outlives this.
  explicit Inbox(process::FrameChannel& channel);

  /// Waits for the next task. Fails with `unavailable` once the server has closed the channel.
  [[nodiscard]] Result<OrderedTask> next();

 private:
  void listen(const std::stop_token& stop);
  void take(WorkerOrder order) ASSAY_REQUIRES(mutex_);

  process::FrameChannel& channel_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<OrderedTask> waiting_ ASSAY_GUARDED_BY(mutex_);
  std::stop_source latest_ ASSAY_GUARDED_BY(mutex_){std::nostopstate};
  std::optional<Error> closed_ ASSAY_GUARDED_BY(mutex_);
  std::jthread listener_;  // last: it uses all above
};

}  // namespace assay::worker
