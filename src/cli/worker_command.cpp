#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/machine_memory.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "cli/commands.hpp"
#include "cli/metric_sets.hpp"
#include "cli/metrics_flags.hpp"
#include "device/cpu_device.hpp"
#include "device/cuda_inventory.hpp"
#include "model/device_info.hpp"
#include "model/device_metrics.hpp"
#include "model/ids.hpp"
#include "process/jail_profile.hpp"
#include "worker/metrics_lane.hpp"
#include "worker/sanitizer_lane.hpp"
#include "worker/worker.hpp"

namespace assay::cli {
namespace {

constexpr int kChannelDescriptor = 3;

struct WorkerFlags {
  std::string device = "cpu";
  std::uint64_t runner_memory = 0;
  std::uint64_t gpu_memory = 0;
  std::size_t spare_runners = 2;
  std::uint64_t compiled_bytes = 0;
  std::optional<std::filesystem::path> python;
  std::optional<std::filesystem::path> device_code;
  std::filesystem::path data_dir;
  WorkerMetricsFlags metrics;
  bool require_jail = false;
  std::vector<std::string> allow_weak_jail;
};

/// Threads included: simt, OpenMP and torch each have one per core, and Python kernels may start
/// compilers. No more than that, since a fork bomb takes its turns of the cores from the server.
std::uint32_t runner_processes() {
  constexpr std::uint32_t kAnyway = 64;
  constexpr std::uint32_t kPerCore = 12;
  return kAnyway + kPerCore * std::max(1U, std::thread::hardware_concurrency());
}

Result<DeviceInfo> device_named(const std::string& id) {
  if (id == "cpu") return device::cpu_device();
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");  // the one GPU we are for
  auto gpus = device::find_cuda_devices(visible == nullptr ? "" : visible);
  if (gpus.devices.empty()) return fail(ErrorCode::unavailable, gpus.why_none);
  gpus.devices.front().id = DeviceId{id};
  return std::move(gpus.devices.front());
}

/// None where the driver lets everybody read counters: then the jail is as tight as any.
process::KeptCapability capability_named(const std::string& name) {
  if (name == "none" || !counters_are_restricted()) return process::KeptCapability::none;
  return name == "sys_admin" ? process::KeptCapability::sys_admin
                             : process::KeptCapability::perfmon;
}

/// The real path: a link may lead through a folder that the jail does not show. Where there is
/// nothing, `looked_for` says so.
std::optional<std::filesystem::path> real_path(const std::optional<std::filesystem::path>& given,
                                               std::string& looked_for) {
  if (!given) return std::nullopt;
  std::error_code missing;
  auto real = std::filesystem::canonical(*given, missing);
  if (!missing) return real;
  looked_for = given->string() + ": " + missing.message();
  return std::nullopt;
}

/// The file behind the links, which lies beside the parts that it opens.
std::filesystem::path real_cupti(const std::optional<std::filesystem::path>& given) {
  std::string unused;
  return real_path(given, unused).value_or(std::filesystem::path());
}

Result<worker::MetricsOptions> metrics_options(const WorkerMetricsFlags& given) {
  const MetricsFlags& flags = given.flags;
  ASSAY_TRY(MetricSets sets, read_metric_sets(flags.own_sets));
  worker::MetricsOptions options{.looked_for = given.looked_for,
                                 .cupti = real_cupti(flags.cupti),
                                 .named = flags.ncu.has_value(),
                                 .capability = capability_named(flags.capability),
                                 .folder = given.folders.passing,
                                 .kept = given.folders.kept,
                                 .kept_bytes = given.folders.kept_bytes,
                                 .sets = std::move(sets)};
  options.ncu = real_path(flags.ncu ? flags.ncu : given.found, options.looked_for);
  if (flags.always) options.always = MetricsWanted{.sets = flags.sets, .sections = flags.sections};
  return options;
}

worker::SanitizerOptions sanitizer_options(const WorkerMetricsFlags& given) {
  const auto& named = given.flags.sanitizer;
  worker::SanitizerOptions options{.looked_for = given.sanitizer_looked_for,
                                   .named = named.has_value(),
                                   .folder = given.folders.passing};
  options.program = real_path(named ? named : given.found_sanitizer, options.looked_for);
  return options;
}

/// What it holds of a submission's is bounded by what the submission says: should that ever fail,
/// it dies before the machine runs out. Its runners have limits of their own. Not on GPUs, whose
/// driver maps more than it uses.
void limit_memory(DeviceKind device) {
  if (device != DeviceKind::cpu) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, machine_memory() / 4 * 3);
  (void)::setrlimit(RLIMIT_DATA, &limit);
}

int work(const WorkerFlags& flags) {
  const Log log(STDERR_FILENO);
  auto device = device_named(flags.device);
  if (!device) return report(device.error());
  device->most_kernel_bytes = flags.gpu_memory;
  limit_memory(device->kind);
  auto metrics = metrics_options(flags.metrics);
  if (!metrics) return report(metrics.error());
  worker::WorkerOptions options{
      .device = *device,
      .runner_limits = {.memory_bytes = flags.runner_memory,
                        .processes = runner_processes(),
                        .cpu_time = std::chrono::hours(24)},
      .spare_runners = flags.spare_runners,
      .compiled_bytes = flags.compiled_bytes,
      .python = flags.python,
      .data_dir = flags.data_dir,
      .device_code = flags.device_code,
      .executable = std::filesystem::read_symlink("/proc/self/exe").string(),
      .metrics = *std::move(metrics),
      .sanitizer = sanitizer_options(flags.metrics),
      .require_jail = flags.require_jail,
      .given_up = flags.allow_weak_jail};
  return worker::run_worker(options, UniqueFd(kChannelDescriptor), log);
}

}  // namespace

void add_worker(CLI::App& app) {
  auto* command = app.add_subcommand("worker", "Own one device (started by the server)");
  command->group("");                            // not for people
  auto flags = std::make_shared<WorkerFlags>();  // shared with the callback
  command->add_option("--device", flags->device);
  command->add_option("--runner-memory", flags->runner_memory);
  command->add_option("--gpu-memory", flags->gpu_memory);
  command->add_option("--spare-runners", flags->spare_runners);
  command->add_option("--compiled-bytes", flags->compiled_bytes);
  command->add_option("--python", flags->python);
  command->add_option("--data-dir", flags->data_dir);
  command->add_option("--device-code", flags->device_code);
  add_worker_metrics_flags(*command, flags->metrics);
  command->add_flag("--require-jail", flags->require_jail);
  command->add_option("--allow-weak-jail", flags->allow_weak_jail);
  command->callback([flags] { throw CLI::RuntimeError(work(*flags)); });
}

}  // namespace assay::cli
