#include "cli/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/machine_memory.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/version.hpp"
#include "cli/clock_holder.hpp"
#include "cli/cupti_library.hpp"
#include "cli/device_choice.hpp"
#include "cli/gpu_watch.hpp"
#include "cli/metric_names.hpp"
#include "cli/metric_sets.hpp"
#include "cli/preparation.hpp"
#include "compile/build_system.hpp"
#include "compile/python_backend.hpp"
#include "device/cpu_device.hpp"
#include "device/cuda_inventory.hpp"
#include "gate/device_code.hpp"
#include "model/device_info.hpp"
#include "model/device_metrics.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/weak_jail.hpp"
#include "python/interpreter.hpp"
#include "queue/dispatcher.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"
#include "worker/client.hpp"
#include "worker/extension_finder.hpp"
#include "worker/gpu_jail.hpp"
#include "worker/process_client.hpp"
#include "worker/python_command.hpp"
#include "worker/python_package.hpp"
#include "worker/python_zygote.hpp"

namespace assay::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40U;

std::string own_executable() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::vector<DeviceKind> kinds_of(const std::vector<DeviceInfo>& devices) {
  std::vector<DeviceKind> kinds;
  for (const DeviceInfo& device : devices) {
    if (std::ranges::find(kinds, device.kind) == kinds.end()) kinds.push_back(device.kind);
  }
  return kinds;
}

/// The compute capability that all chosen GPUs share. Zero where there is no GPU.
ComputeCapability code_of(const std::vector<DeviceInfo>& devices) {
  const auto gpu = std::ranges::find(devices, DeviceKind::cuda, &DeviceInfo::kind);
  return gpu == devices.end() ? ComputeCapability{} : gpu->compute;
}

/// Fails with `invalid_argument` for a name that no part has.
Result<void> check_part_names(const process::PartNames& names) {
  process::PartNames known;
  for (const process::JailPart part : process::kJailParts) {
    known.emplace_back(to_string(part));
    known.push_back(worker::inner_part(to_string(part)));
  }
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--allow-weak-jail: there is no part '{}'; the parts are {}", name,
                            fmt::join(known, ", ")));
  }
  return {};
}

std::unexpected<Error> refuse_weak_jail(const process::PartNames& missing,
                                        const std::string& mends) {
  return fail(ErrorCode::unavailable,
              fmt::format("the jail must be complete, because of --require-jail or a --host beyond "
                          "this machine. This system does not allow {}. How to get it:{}\nOr do "
                          "without it: --allow-weak-jail {}",
                          fmt::join(missing, ", "), mends, fmt::join(missing, ",")));
}

}  // namespace

Engine::Engine(const EngineOptions& options, const Log& log)
    : options_(options), log_(log), jails_(process::probe_jail_support()) {}

Result<std::unique_ptr<Engine>> Engine::start(const EngineOptions& options, const Log& log) {
  std::unique_ptr<Engine> engine(new Engine(options, log));
  for (const auto step :
       {&Engine::check_jail, &Engine::choose_devices, &Engine::open_store, &Engine::lock_clocks,
        &Engine::open_builds, &Engine::check_inner_jail, &Engine::build_device_code,
        &Engine::look_for_names, &Engine::start_workers, &Engine::start_dispatcher}) {
    if (auto done = (engine.get()->*step)(); !done) return std::unexpected(done.error());
  }
  return engine;
}

Result<void> Engine::check_jail() {
  if (auto known = check_part_names(options_.allow_weak_jail); !known) return known;
  std::string mends;
  process::PartNames wanted;
  for (const process::JailPartStatus& part : jails_.missing()) {
    log_.warning("jail", "{} is not available ({}): {}", to_string(part.part), part.detail,
                 part.cost);
    weak_jail_.emplace_back(to_string(part.part));
  }
  for (const process::JailPartStatus& part : not_given_up(jails_, options_.allow_weak_jail)) {
    wanted.emplace_back(to_string(part.part));
    mends += fmt::format("\n  {}: {}", to_string(part.part), mend_of(part.part));
  }
  if (wanted.empty() || !options_.require_jail) return {};
  return refuse_weak_jail(wanted, mends);
}

Result<void> Engine::check_inner_jail() {
  if (!*python_ || (*python_)->torch.empty()) return {};
  ASSAY_TRY(auto package, worker::write_python_package(builds_dir()));
  const worker::PythonOptions python{.interpreter = **python_,
                                     .package = std::move(package),
                                     .device = {},
                                     .limits = {.memory_bytes = options_.runner_memory_bytes}};
  const auto missing = worker::probe_inner_jail(python, jails_, clock_);
  // Without the parts that were given up Python may not even start, which harms nobody.
  if (!missing && options_.require_jail && weak_jail_.empty()) {
    return std::unexpected(
        Error(missing.error()).while_doing("look at the jail of Python kernels"));
  }
  if (!missing) {  // the worker will find out, and say so to whoever submits such a kernel
    log_.warning("jail", "{}", missing.error().message());
    return {};
  }
  process::PartNames wanted;
  for (const std::string& part : *missing) {
    log_.warning("jail", "{} is not available: Python kernels can reach more of each other", part);
    weak_jail_.push_back(part);
    const auto& given_up = options_.allow_weak_jail;
    if (std::ranges::find(given_up, part) == given_up.end()) wanted.push_back(part);
  }
  if (wanted.empty() || !options_.require_jail) return {};
  return refuse_weak_jail(
      wanted,
      "\n  python.…: allow namespaces inside namespaces: sysctl -w "
      "user.max_user_namespaces=10000, and no seccomp or AppArmor profile of a container");
}

const std::filesystem::path& Engine::builds_dir() const {
  return options_.cache_dir.empty() ? options_.data_dir : options_.cache_dir;
}

Result<void> Engine::choose_devices() {
  ASSAY_TRY(const DeviceInfo cpu, device::cpu_device());
  const bool only_cpu = options_.devices == std::vector<std::string>{"cpu"};
  const auto gpus =
      only_cpu ? device::CudaInventory{} : device::find_cuda_devices(options_.visible_gpus);
  ASSAY_TRY(devices_, cli::choose_devices(options_.devices, gpus, cpu));
  for (DeviceInfo& device : devices_) {
    device.has_sanitizer = has_sanitizer(options_.metrics, device.kind);
    device.most_tensor_bytes = options_.tensor_memory_bytes > 0
                                   ? options_.tensor_memory_bytes
                                   : share_for_tensors(device.memory_bytes);
    if (device.kind == DeviceKind::cuda) {
      device.most_kernel_bytes = options_.gpu_memory_bytes > 0
                                     ? options_.gpu_memory_bytes
                                     : share_for_kernel(device.memory_bytes);
    }
  }
  if (!only_cpu && gpus.devices.empty()) log_.info("device", "no GPU: {}", gpus.why_none);
  for (const DeviceInfo& device : devices_) {
    log_.info("device", "{}: {}, {}, of which the tensors of one kernel may take {}",
              device.id.value, device.name, gibibytes(device.memory_bytes),
              gibibytes(device.most_tensor_bytes));
    if (device.kind == DeviceKind::cuda) {
      log_.info("device", "{}: one kernel may hold {} of its memory", device.id.value,
                gibibytes(device.most_kernel_bytes));
    }
  }
  log_.info("device", "a runner may use {} of this machine's {}",
            gibibytes(options_.runner_memory_bytes), gibibytes(machine_memory()));
  return {};
}

Result<void> Engine::lock_clocks() {
  if (!options_.lock_clocks) return {};
  ASSAY_TRY(held_clocks_, hold_clocks(devices_, *options_.lock_clocks, own_executable(), log_));
  return {};
}

std::size_t Engine::build_jobs() const {
  if (options_.build_jobs > 0) return options_.build_jobs;
  const bool shares_cores =
      std::ranges::find(devices_, DeviceKind::cpu, &DeviceInfo::kind) != devices_.end();
  const std::size_t cores = std::thread::hardware_concurrency();
  return shares_cores || cores < 4 ? 2 : cores - 2;
}

Result<void> Engine::open_store() {
  ASSAY_TRY(auto dir, store::DataDir::open(options_.data_dir));
  data_dir_.emplace(std::move(dir));
  ASSAY_TRY(store_,
            store::JobStore::open(*data_dir_, clock_,
                                  {.max_attempts = options_.max_attempts,
                                   .survive_power_loss = options_.survive_power_loss,
                                   .keep_free = options_.keep_free,
                                   // Unfinished jobs count too, and cannot be swept.
                                   .max_bytes = 2 * std::min(options_.keep_bytes, kMostBytes)}));
  return {};
}

Result<void> Engine::open_builds() {
  python_ = python::find_interpreter(options_.python, jails_, clock_);
  if (!*python_ && options_.python) {
    return std::unexpected(Error(python_->error()).while_doing("--python"));
  }
  if (*python_) {
    extensions_ = std::make_unique<worker::JailedExtensionFinder>(
        worker::PythonOptions{.interpreter = **python_,
                              .package = {},
                              .device = {},
                              .limits = {.memory_bytes = options_.runner_memory_bytes},
                              .require_jail = options_.require_jail,
                              .given_up = options_.allow_weak_jail},
        options_.data_dir / "python", jails_);
  }
  const compile::BuildSettings settings{.data_dir = builds_dir(),
                                        .compiler = options_.compiler,
                                        .python = *python_,
                                        .extensions = extensions_.get(),
                                        .devices = kinds_of(devices_),
                                        .gpu = code_of(devices_),
                                        .cuda_toolkits = options_.cuda_toolkits,
                                        .cuda_includes = options_.cuda_includes,
                                        .executable = own_executable(),
                                        .cache = {.bytes = options_.build_cache_bytes},
                                        .pool = {.parallel = build_jobs()}};
  ASSAY_TRY(builds_, compile::BuildSystem::open(settings, jails_, clock_));
  for (const compile::BackendStatus& backend : builds_->describe()) {
    log_.info("build", "{} on {}: {}", to_string(backend.type), to_string(backend.device),
              backend.detail);
  }
  return {};
}

/// What runs on GPUs around timed calls and over tensors. Without it they are timed, but only by
/// claims, and the processor judges.
Result<void> Engine::build_device_code() {
  if (std::ranges::find(devices_, DeviceKind::cuda, &DeviceInfo::kind) == devices_.end()) return {};
  const auto folder = options_.data_dir / "device_code";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return fail(ErrorCode::unavailable,
                fmt::format("create {}: {}", folder.string(), failed.message()));
  }
  for (const gate::DeviceModule& module : gate::kDeviceModules) {
    Kernel kernel{.source = gate::source_of(module), .type = KernelType::cuda};
    kernel.metadata.kernel_name = module.entry;
    constexpr std::chrono::seconds kLongest{60};
    auto built = builds_->builder().build(kernel, DeviceKind::cuda, Deadline(clock_, kLongest), {});
    if (!built) {
      return std::unexpected(std::move(built).error().while_doing("compile our code for GPUs"));
    }
    const auto* compiled = std::get_if<BuiltKernel>(&*built);
    if (compiled == nullptr) {
      log_.warning("device", "our own code for GPUs does not compile here: {}",
                   reason_of(std::get<Verdict>(*built)));
      return {};
    }
    // The cache may drop it.
    ASSAY_TRY(const std::string image, read_file(compiled->module));
    if (auto written = write_file_atomically(folder / module.image, image); !written) {
      return written;
    }
  }
  device_code_ = folder;
  return {};
}

std::string Engine::cupti() const {
  std::vector<std::filesystem::path> roots = options_.cuda_toolkits;
  if (*python_) roots.push_back((*python_)->program.parent_path().parent_path());
  return cupti_library(options_.metrics.cupti, roots);
}

Result<void> Engine::look_for_names() {
  ASSAY_TRY(const MetricSets sets, read_metric_sets(options_.metrics.own_sets));
  metric_names_ = std::make_unique<MetricNames>(
      MetricNamesOptions{
          .executable = own_executable(), .cupti = cupti(), .chip = options_.metrics.chip},
      devices_, log_);
  for (const auto& [name, set] : sets) {
    Request asks;
    asks.device_metrics = MetricsRequest{.asked = true, .wanted = set};
    if (const auto mistake = metric_names_->mistake_in(asks, std::nullopt)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--metric-sets: set '{}': {}", name, *mistake));
    }
  }
  return {};
}

Result<void> Engine::start_workers() {
  for (const DeviceInfo& device : devices_) {
    worker::ProcessClientOptions client{
        .device = device,
        .command = {own_executable(), "worker", "--device", device.id.value, "--runner-memory",
                    std::to_string(options_.runner_memory_bytes), "--gpu-memory",
                    std::to_string(device.most_kernel_bytes), "--spare-runners",
                    std::to_string(options_.spare_runners), "--compiled-bytes",
                    std::to_string(options_.build_cache_bytes / 2)},
        .environment = worker::gpu_environment(device),
        .memory_bytes = options_.worker_memory_bytes};
    if (*python_ && compile::what_is_missing(**python_, KernelType::torch).empty()) {
      client.command.insert(client.command.end(), {"--python", (*python_)->program.string(),
                                                   "--data-dir", builds_dir().string()});
    }
    if (device_code_ && device.kind == DeviceKind::cuda) {
      client.command.insert(client.command.end(), {"--device-code", device_code_->string()});
    }
    const auto words =
        worker_words(options_.metrics, {.passing = options_.data_dir / "metrics",
                                        .kept = builds_dir() / "counters",
                                        .kept_bytes = options_.build_cache_bytes / 8});
    client.command.insert(client.command.end(), words.begin(), words.end());
    if (const std::string library = cupti(); !library.empty()) {
      client.command.insert(client.command.end(), {"--cupti", library});
    }
    if (options_.require_jail) client.command.emplace_back("--require-jail");
    for (const std::string& part : options_.allow_weak_jail) {
      client.command.insert(client.command.end(), {"--allow-weak-jail", part});
    }
    ASSAY_TRY(auto worker, worker::ProcessClient::start(std::move(client), jails_, clock_, log_));
    workers_.push_back(std::move(worker));
  }
  return {};
}

Result<void> Engine::start_dispatcher() {
  gpus_ = GpuWatch::open(devices_);
  std::vector<worker::Client*> clients;
  clients.reserve(workers_.size());
  for (const auto& worker : workers_) clients.push_back(worker.get());
  // One job runs while the others build, so that a device never waits for a compiler.
  const std::size_t lanes = gpus_ == nullptr ? 2 : build_jobs() + 1;
  const auto health = [this](const DeviceInfo& device) {
    return gpus_ == nullptr ? std::nullopt : gpus_->look(device);
  };
  ASSAY_TRY(dispatcher_,
            queue::Dispatcher::start(*store_, builds_->builder(), clients, clock_, log_,
                                     {.max_queued = options_.max_queued,
                                      .lanes_per_device = lanes,
                                      .keep_age = options_.keep_age,
                                      .keep_count = options_.keep_count,
                                      .keep_bytes = options_.keep_bytes,
                                      .health = health,
                                      .on_device_use = options_.on_device_use,
                                      .version = std::string(version()),
                                      .jail_missing = weak_jail_}));
  return {};
}

void Engine::prepare_ahead() {
  std::vector<Preparation::Item> items;
  for (const compile::BackendStatus& backend : builds_->describe()) {
    if (backend.available) items.push_back({.type = backend.type, .device = backend.device});
  }
  preparation_ = std::make_unique<Preparation>(builds_->builder(), std::move(items), clock_, log_);
}

std::vector<std::string> Engine::preparing() const {
  return preparation_ == nullptr ? std::vector<std::string>() : preparation_->pending();
}

}  // namespace assay::cli
