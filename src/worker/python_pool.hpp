#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "process/jail_support.hpp"
#include "worker/activity.hpp"
#include "worker/python_process.hpp"
#include "worker/python_runner.hpp"
#include "worker/python_zygote.hpp"
#include "worker/undertaker.hpp"

namespace assay::worker {

/// Keeps a zygote, and a few runners forked ahead. A zygote that has died is replaced. A runner is
/// handed out once and never comes back. A caller may give up waiting for a zygote; it still
/// starts.
class PythonPool {
 public:
  /// Returns at once: the zygote imports while the worker does other things.
  PythonPool(PythonOptions options, const process::JailSupport& support, std::size_t spares,
             const Log& log);
  ~PythonPool();
  PythonPool(const PythonPool&) = delete;
  PythonPool& operator=(const PythonPool&) = delete;
  PythonPool(PythonPool&&) = delete;
  PythonPool& operator=(PythonPool&&) = delete;

  /// Waits until a runner is there. Fails with `resource_exhausted` and the reason where Python
  /// does not start, or as `bounds` say.
  [[nodiscard]] Result<std::unique_ptr<PythonRunner>> fresh(const eval::Bounds& bounds);

  /// No zygote has greeted yet, or the last has died and the next one is importing.
  [[nodiscard]] bool is_starting();

  /// Fewer runners, or none, are forked ahead meanwhile.
  void make_way_for(Activity activity);
  /// Waits until every runner that was killed is gone; false where `bounds` end that first.
  [[nodiscard]] bool await_ends(const eval::Bounds& bounds) {
    return undertaker_.await_all(bounds);
  }

 private:
  struct Failure {
    int count = 0;       // of zygotes, since this pool was made
    std::string reason;  // of the last
  };
  using Zygote = std::shared_ptr<PythonZygote>;
  struct Source {  // neither: look again
    std::unique_ptr<PythonRunner> runner;
    Zygote zygote;  // to fork one from
  };

  /// Waits, and says where a runner comes from. `failures` is the count when the caller came.
  [[nodiscard]] Result<Source> find_source(std::optional<int>& failures,
                                           const eval::Bounds& bounds);
  [[nodiscard]] std::unique_ptr<PythonRunner> take_ready() ASSAY_REQUIRES(mutex_);
  [[nodiscard]] Result<std::unique_ptr<PythonRunner>> fork(const Zygote& zygote,
                                                           const std::stop_token& stop);
  /// Waits for the refiller to start one.
  [[nodiscard]] Result<void> await_zygote(int failures, const eval::Bounds& bounds)
      ASSAY_REQUIRES(mutex_);
  /// Waits for a refiller that is forking a runner, which is ready sooner than another would be.
  /// False if no refiller forks one for this caller, or if nobody waits any more.
  [[nodiscard]] bool await_fork(const eval::Bounds& bounds) ASSAY_REQUIRES(mutex_);
  [[nodiscard]] bool wants_spare() const ASSAY_REQUIRES(mutex_);
  [[nodiscard]] Result<void> start_zygote(const std::stop_token& stop);
  /// Drops the zygote with its runners. A new one will not have its trouble.
  void replace(const Zygote& zygote, const Error& why);
  void forget(const Zygote& zygote);
  void pause(const std::stop_token& stop);
  void refill(const std::stop_token& stop);
  void add_spare(const Zygote& zygote, const std::stop_token& stop);

  PythonOptions options_;
  const process::JailSupport& support_;
  std::size_t spares_;
  const Log& log_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  // Shared with threads that fork from it while it is found dead and replaced.
  Zygote zygote_ ASSAY_GUARDED_BY(mutex_);
  Failure failure_ ASSAY_GUARDED_BY(mutex_);
  std::size_t waiting_ ASSAY_GUARDED_BY(mutex_) = 0;       // for a zygote
  Undertaker<std::unique_ptr<PythonProcess>> undertaker_;  // before `ready_`, which adds to it
  std::deque<std::unique_ptr<PythonRunner>> ready_ ASSAY_GUARDED_BY(mutex_);
  std::size_t wanted_ ASSAY_GUARDED_BY(mutex_);       // ready or being forked
  bool importing_ ASSAY_GUARDED_BY(mutex_) = false;   // a refiller is starting a zygote
  std::size_t forking_ ASSAY_GUARDED_BY(mutex_) = 0;  // by refillers
  std::size_t awaited_ ASSAY_GUARDED_BY(mutex_) = 0;  // by who wants one now
  std::vector<std::jthread> refillers_;               // last: they use all above
};

}  // namespace assay::worker
