#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "process/jail_support.hpp"
#include "worker/python_process.hpp"
#include "worker/python_runner.hpp"
#include "worker/python_zygote.hpp"

namespace assay::worker {

/// Keeps a zygote, replacing it when it has died, and a few runners forked ahead. A runner is
/// handed out once and never comes back.
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

  /// Fails with `unavailable` where Python cannot be started.
  [[nodiscard]] Result<std::unique_ptr<PythonRunner>> fresh();

  /// While timed runs are under way no runner is forked ahead: that would disturb them.
  void hold_back(bool timing);

 private:
  /// Starts one where there is none alive; whoever asks meanwhile waits.
  [[nodiscard]] Result<std::shared_ptr<PythonZygote>> zygote();
  [[nodiscard]] Result<std::unique_ptr<PythonProcess>> fork_process();
  [[nodiscard]] Result<std::unique_ptr<PythonRunner>> fork();
  void refill(const std::stop_token& stop);
  void bury(const std::stop_token& stop);

  PythonOptions options_;
  const process::JailSupport& support_;
  std::size_t spares_;
  const Log& log_;
  Mutex zygote_mutex_;
  // Shared with whoever is forking from it while it is found dead and replaced.
  std::shared_ptr<PythonZygote> zygote_ ASSAY_GUARDED_BY(zygote_mutex_);
  Mutex mutex_;
  std::condition_variable_any changed_;
  // Killed, but not gone yet: that takes the kernel some 30 ms. Before `ready_`, which adds to it.
  std::deque<std::unique_ptr<PythonProcess>> dying_ ASSAY_GUARDED_BY(mutex_);
  std::deque<std::unique_ptr<PythonRunner>> ready_ ASSAY_GUARDED_BY(mutex_);
  bool timing_ ASSAY_GUARDED_BY(mutex_) = false;
  std::jthread refiller_;  // these two last: they use all above
  std::jthread undertaker_;
};

}  // namespace assay::worker
