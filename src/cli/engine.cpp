#include "cli/engine.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/version.hpp"
#include "compile/backend.hpp"
#include "compile/build_cache.hpp"
#include "compile/build_pool.hpp"
#include "compile/compiler.hpp"
#include "compile/simt_backend.hpp"
#include "compile/work_area.hpp"
#include "device/cpu_device.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "process/jail_support.hpp"
#include "queue/dispatcher.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"
#include "worker/process_client.hpp"

namespace assay::cli {

Engine::Engine(const EngineOptions& options, const Log& log)
    : options_(options), log_(log), jails_(process::probe_jail_support()) {}

Result<std::unique_ptr<Engine>> Engine::start(const EngineOptions& options, const Log& log) {
  std::unique_ptr<Engine> engine(new Engine(options, log));
  for (const auto step : {&Engine::check_jail, &Engine::open_store, &Engine::open_builds,
                          &Engine::start_workers, &Engine::start_dispatcher}) {
    if (auto done = (engine.get()->*step)(); !done) return std::unexpected(done.error());
  }
  return engine;
}

Result<void> Engine::check_jail() {
  std::string missing;
  for (const process::JailPartStatus& part : jails_.missing()) {
    log_.warning("jail", "{} is not available ({}): {}", to_string(part.part), part.detail,
                 part.cost);
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", to_string(part.part));
  }
  if (missing.empty() || !options_.require_jail) return {};
  return fail(ErrorCode::unavailable,
              fmt::format("--require-jail: this system does not allow {}", missing));
}

Result<void> Engine::open_store() {
  ASSAY_TRY(auto dir, store::DataDir::open(options_.data_dir));
  data_dir_.emplace(std::move(dir));
  ASSAY_TRY(store_, store::JobStore::open(*data_dir_, clock_,
                                          {.max_attempts = options_.max_attempts,
                                           .survive_power_loss = options_.survive_power_loss}));
  return {};
}

Result<void> Engine::open_builds() {
  const std::filesystem::path parent =
      options_.cache_dir.empty() ? options_.data_dir : options_.cache_dir;
  std::error_code error;
  // Whatever lies in a work area when it is opened is somebody's rubbish: it needs its own place.
  std::filesystem::create_directories(parent / "work", error);
  if (error)
    return fail(ErrorCode::unavailable, fmt::format("{}: {}", parent.string(), error.message()));
  ASSAY_TRY(auto work, compile::WorkArea::open(parent / "work"));
  work_.emplace(std::move(work));
  ASSAY_TRY(cache_, compile::BuildCache::open(
                        parent / "builds", {.bytes = options_.build_cache_bytes}, *work_, clock_));
  std::vector<std::unique_ptr<compile::Backend>> backends;
  std::vector<compile::MissingBackend> missing;
  if (auto compiler = compile::find_compiler(options_.compiler, jails_, clock_)) {
    backends.push_back(std::make_unique<compile::SimtBackend>(*compiler, parent / "toolchains",
                                                              *work_, jails_, clock_));
    log_.info("build", "cuda on cpu is compiled by {}", backends.back()->describe());
  } else {
    log_.warning("build", "{}", compiler.error().message());
    missing.push_back({KernelType::cuda, DeviceKind::cpu, compiler.error().message()});
  }
  builds_ = std::make_unique<compile::BuildPool>(
      compile::PoolSettings{.parallel = options_.build_jobs}, std::move(backends),
      std::move(missing), *cache_, *work_, clock_);
  return {};
}

Result<void> Engine::start_workers() {
  const std::string executable = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const std::string& id : options_.devices) {
    if (id != "cpu") {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--devices: there is no device '{}'; this build knows 'cpu'", id));
    }
    ASSAY_TRY(DeviceInfo device, device::cpu_device());
    worker::ProcessClientOptions client{
        .device = std::move(device),
        .command = {executable, "worker", "--device", id, "--runner-memory",
                    std::to_string(options_.runner_memory_bytes), "--spare-runners",
                    std::to_string(options_.spare_runners)}};
    ASSAY_TRY(auto worker, worker::ProcessClient::start(std::move(client), jails_, clock_, log_));
    workers_.push_back(std::move(worker));
  }
  return {};
}

Result<void> Engine::start_dispatcher() {
  std::vector<worker::Client*> clients;
  for (const auto& worker : workers_) clients.push_back(worker.get());
  ASSAY_TRY(dispatcher_, queue::Dispatcher::start(*store_, *builds_, clients, clock_, log_,
                                                  {.max_queued = options_.max_queued,
                                                   .keep_age = options_.keep_age,
                                                   .keep_count = options_.keep_count,
                                                   .version = std::string(version())}));
  return {};
}

}  // namespace assay::cli
