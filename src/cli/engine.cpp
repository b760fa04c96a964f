#include "cli/engine.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "base/version.hpp"
#include "compile/build_system.hpp"
#include "compile/python_backend.hpp"
#include "device/cpu_device.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "python/interpreter.hpp"
#include "queue/dispatcher.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"
#include "worker/extension_finder.hpp"
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
  python_ = python::find_interpreter(options_.python, jails_, clock_);
  if (!*python_ && options_.python) {
    return std::unexpected(Error(python_->error()).while_doing("--python"));
  }
  if (*python_) {
    extensions_ = std::make_unique<worker::JailedExtensionFinder>(
        **python_, options_.data_dir / "python",
        process::Limits{.memory_bytes = options_.runner_memory_bytes}, jails_);
  }
  const compile::BuildSettings settings{
      .data_dir = options_.cache_dir.empty() ? options_.data_dir : options_.cache_dir,
      .compiler = options_.compiler,
      .python = *python_,
      .extensions = extensions_.get(),
      .cache = {.bytes = options_.build_cache_bytes},
      .pool = {.parallel = options_.build_jobs}};
  ASSAY_TRY(builds_, compile::BuildSystem::open(settings, jails_, clock_));
  for (const compile::BackendStatus& backend : builds_->describe()) {
    log_.info("build", "{} on {}: {}", to_string(backend.type), to_string(backend.device),
              backend.detail);
  }
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
    if (*python_ && compile::what_is_missing(**python_, KernelType::torch).empty()) {
      const auto& data = options_.cache_dir.empty() ? options_.data_dir : options_.cache_dir;
      client.command.insert(client.command.end(), {"--python", (*python_)->program.string(),
                                                   "--data-dir", data.string()});
    }
    if (options_.require_jail) client.command.emplace_back("--require-jail");
    ASSAY_TRY(auto worker, worker::ProcessClient::start(std::move(client), jails_, clock_, log_));
    workers_.push_back(std::move(worker));
  }
  return {};
}

Result<void> Engine::start_dispatcher() {
  std::vector<worker::Client*> clients;
  for (const auto& worker : workers_) clients.push_back(worker.get());
  ASSAY_TRY(dispatcher_,
            queue::Dispatcher::start(*store_, builds_->builder(), clients, clock_, log_,
                                     {.max_queued = options_.max_queued,
                                      .keep_age = options_.keep_age,
                                      .keep_count = options_.keep_count,
                                      .version = std::string(version())}));
  return {};
}

}  // namespace assay::cli
