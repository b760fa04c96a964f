#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "device/cuda_driver.hpp"
#include "eval/runner.hpp"
#include "process/jail_support.hpp"
#include "process/processor_pressure.hpp"
#include "process/subprocess.hpp"
#include "worker/activity.hpp"
#include "worker/gpu_accelerator.hpp"
#include "worker/gpu_clock.hpp"
#include "worker/python_pool.hpp"
#include "worker/python_zygote.hpp"
#include "worker/runner_process.hpp"
#include "worker/undertaker.hpp"

namespace assay::worker {

/// Keeps a few runners started ahead, so that an evaluation need not wait for a jail to be built.
/// A runner is handed out once and never comes back.
class RunnerPool final : public eval::RunnerSource {
 public:
  /// Without `python` there are no Python runners. On a GPU, `driver` makes the arenas, on the
  /// thread that asks for them. It outlives this. `device_code` is the folder that holds the
  /// compiled device_code/.
  RunnerPool(RunnerOptions options, std::optional<PythonOptions> python,
             const process::JailSupport& support, std::size_t spares, const Log& log,
             const device::CudaDriver* driver = nullptr,
             const std::optional<std::filesystem::path>& device_code = std::nullopt);
  ~RunnerPool() override;
  RunnerPool(const RunnerPool&) = delete;
  RunnerPool& operator=(const RunnerPool&) = delete;
  RunnerPool(RunnerPool&&) = delete;
  RunnerPool& operator=(RunnerPool&&) = delete;

  [[nodiscard]] Result<std::unique_ptr<eval::Runner>> fresh() override;
  [[nodiscard]] Result<std::unique_ptr<eval::PythonRunner>> fresh_python(
      const eval::Bounds& bounds) override;
  [[nodiscard]] bool python_is_starting() override { return python_ && python_->is_starting(); }
  [[nodiscard]] Result<std::unique_ptr<eval::SharedArena>> make_arena(std::size_t size) override;
  [[nodiscard]] Result<eval::OutsideClock*> outside_clock() override;
  [[nodiscard]] std::optional<std::size_t> free_memory() const override;
  [[nodiscard]] std::optional<std::size_t> memory_limit() const override;

  /// On a GPU and for Python, fewer runners, or none, are started ahead during `activity`. Memory
  /// that was kept for the activity before is freed. Call it on the thread that makes the arenas.
  void make_way_for(Activity activity);
  /// Call it on the thread that makes the arenas. If dead runners still hold much of the GPU's
  /// memory, it waits until they are gone.
  void make_room(const eval::Bounds& bounds) override;
  void await_ends(const eval::Bounds& bounds) override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> processor_pressure() const override {
    return process::processor_pressure();
  }

 private:
  void await_memory(const eval::Bounds& bounds);
  [[nodiscard]] std::unique_ptr<RunnerProcess> with_undertaker(
      std::unique_ptr<RunnerProcess> runner);
  [[nodiscard]] std::unique_ptr<RunnerProcess> take_ready();
  void refill(const std::stop_token& stop);

  RunnerOptions options_;
  const process::JailSupport& support_;
  std::size_t spares_;
  const Log& log_;
  const device::CudaDriver* driver_;
  Result<std::unique_ptr<GpuClock>> clock_;  // or why there is none
  Result<std::unique_ptr<GpuAccelerator>> accelerator_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::unique_ptr<RunnerProcess>> ready_ ASSAY_GUARDED_BY(mutex_);
  std::size_t starting_ ASSAY_GUARDED_BY(mutex_) = 0;  // by refillers
  std::size_t awaited_ ASSAY_GUARDED_BY(mutex_) = 0;   // by who wants one now
  std::size_t wanted_ ASSAY_GUARDED_BY(mutex_);        // ready or starting
  std::size_t most_free_ = 0;                          // of the GPU's memory, of all that was seen
  Undertaker<process::Subprocess> undertaker_;
  std::optional<PythonPool> python_;
  std::vector<std::jthread> refillers_;  // last: they use all above
};

}  // namespace assay::worker
