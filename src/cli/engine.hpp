#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/machine_memory.hpp"
#include "base/result.hpp"
#include "cli/clock_holder.hpp"
#include "cli/gpu_watch.hpp"
#include "cli/metric_names.hpp"
#include "cli/metrics_flags.hpp"
#include "cli/preparation.hpp"
#include "compile/build_system.hpp"
#include "model/device_info.hpp"
#include "process/jail_support.hpp"
#include "process/weak_jail.hpp"
#include "python/extension_finder.hpp"
#include "python/interpreter.hpp"
#include "queue/dispatcher.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"
#include "worker/process_client.hpp"

namespace assay::cli {

struct EngineOptions {
  std::filesystem::path data_dir;  // jobs; locked by one process
  /// Called with how long a job with an owner had a device.
  std::function<void(const std::string& owner, std::chrono::milliseconds time)> on_device_use;
  std::filesystem::path cache_dir;           // builds and toolchains; shared. Empty: in data_dir
  std::vector<std::string> devices{"auto"};  // "cpu", "cuda", "cuda:N"; auto: every GPU, or cpu
  std::optional<std::string> visible_gpus;   // CUDA_VISIBLE_DEVICES
  std::optional<std::string> lock_clocks;    // of every GPU used: "base", or megahertz
  std::vector<std::filesystem::path> cuda_toolkits;  // searched before the usual places
  std::vector<std::filesystem::path> cuda_includes;  // directories that kernels may include from
  std::optional<std::filesystem::path> compiler;     // absent: the first g++ or clang++ found
  std::optional<std::filesystem::path> python;       // absent: the first one with torch
  std::size_t build_jobs = 0;  // 0: all cores but two with GPUs, two where they run kernels too
  std::uint64_t build_cache_bytes = std::uint64_t{2} << 30U;
  std::uint64_t runner_memory_bytes = share_of_memory(machine_memory());
  std::uint64_t tensor_memory_bytes = 0;  // of one kernel; 0: a share of its device's memory
  std::uint64_t gpu_memory_bytes = 0;     // of one kernel; 0: a share of its GPU's memory
  std::uint64_t worker_memory_bytes = machine_memory() / 8 * 7;
  std::size_t spare_runners = 6;
  std::size_t max_queued = 1000;
  std::chrono::seconds keep_age = std::chrono::hours(24 * 7);
  std::size_t keep_count = 10'000;
  std::uint64_t keep_bytes = std::uint64_t{10} << 30U;  // of jobs
  std::uint64_t keep_free = std::uint64_t{256} << 20U;  // of the disk; below it no job is taken
  int max_attempts = 3;
  bool survive_power_loss = false;
  MetricsFlags metrics;
  bool require_jail = false;
  std::vector<std::string> allow_weak_jail;  // parts that may be missing where it is required
};

/// Everything between a request and its result, in this process and its children. `serve` offers it
/// over HTTP. `evaluate` and `compare` use it in place.
class Engine {
 public:
  /// Fails with `unavailable` if a jail is required and a part of it is missing.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> start(const EngineOptions& options,
                                                             const Log& log);

  [[nodiscard]] queue::Dispatcher& dispatcher() { return *dispatcher_; }
  [[nodiscard]] store::JobStore& store() { return *store_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const process::JailSupport& jails() const { return jails_; }
  /// The parts of the jail, the inner one's too, that kernels have to do without here.
  [[nodiscard]] const process::PartNames& weak_jail() const { return weak_jail_; }

  /// Which metrics the devices have.
  [[nodiscard]] MetricNames& metric_names() { return *metric_names_; }

  /// Begins to make, in the background, what the first kernel of each type would wait for.
  void prepare_ahead();
  /// The parts of that which are not done yet, in words.
  [[nodiscard]] std::vector<std::string> preparing() const;

 private:
  Engine(const EngineOptions& options, const Log& log);
  [[nodiscard]] Result<void> check_jail();
  [[nodiscard]] Result<void> check_inner_jail();
  [[nodiscard]] const std::filesystem::path& builds_dir() const;
  [[nodiscard]] Result<void> choose_devices();
  [[nodiscard]] Result<void> lock_clocks();
  [[nodiscard]] std::size_t build_jobs() const;
  [[nodiscard]] Result<void> open_store();
  [[nodiscard]] Result<void> open_builds();
  [[nodiscard]] Result<void> build_device_code();
  /// The CUPTI library; empty if none is found.
  [[nodiscard]] std::string cupti() const;
  [[nodiscard]] Result<void> look_for_names();
  [[nodiscard]] Result<void> start_workers();
  [[nodiscard]] Result<void> start_dispatcher();

  const EngineOptions options_;
  const Log& log_;
  SystemClock clock_;
  process::JailSupport jails_;
  process::PartNames weak_jail_;
  std::optional<store::DataDir> data_dir_;
  std::unique_ptr<store::JobStore> store_;
  std::optional<Result<python::Interpreter>> python_;
  std::optional<std::filesystem::path> device_code_;
  std::unique_ptr<python::ExtensionFinder> extensions_;
  std::unique_ptr<compile::BuildSystem> builds_;
  std::vector<DeviceInfo> devices_;
  std::vector<ClockHolder> held_clocks_;  // until all below is gone
  std::unique_ptr<MetricNames> metric_names_;
  std::unique_ptr<GpuWatch> gpus_;  // null: none, or none that can be asked
  std::vector<std::unique_ptr<worker::ProcessClient>> workers_;
  std::unique_ptr<queue::Dispatcher> dispatcher_;  // after all that it uses
  std::unique_ptr<Preparation> preparation_;       // the same
};

}  // namespace assay::cli
