#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "launch.hpp"
#include "worker.hpp"

namespace assay::simt {

/// The OS threads that help with launches, and the workers they and the callers use.
class Pool {
 public:
  /// The pool of this process. It is made at the first launch, and again after a fork, which leaves
  /// threads behind. It is never destroyed, because detached threads may still look at it.
  static Pool& instance();

  /// Runs every block of `launch`, and returns when all are done. The calling thread works too.
  /// Others join only if the launch takes longer than waking them does.
  void run(Launch& launch);

  /// OS threads a launch uses unless it says otherwise: one per core this process may run on.
  [[nodiscard]] unsigned cores() const { return cores_; }

 private:
  /// A launch that others may join. Lives on the stack of the caller of run().
  struct Job {
    Launch* launch;
    unsigned wanted;  // helpers still welcome
    unsigned helping = 0;
    std::uint64_t chunk;
  };

  Pool();
  void call_helpers(Job& job);
  void helper_main();
  [[nodiscard]] Job* joinable_job();
  [[nodiscard]] std::unique_ptr<Worker> take_worker();
  void give_worker(std::unique_ptr<Worker> worker);

  const unsigned cores_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable left_;
  std::vector<Job*> jobs_;                        // under mutex_
  std::vector<std::unique_ptr<Worker>> workers_;  // under mutex_; not in use
  unsigned helpers_ = 0;                          // under mutex_; threads started
};

}  // namespace assay::simt
