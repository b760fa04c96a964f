#include "compile/build_system.hpp"

#include <algorithm>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_cache.hpp"
#include "compile/build_pool.hpp"
#include "compile/compiler.hpp"
#include "compile/cuda_backend.hpp"
#include "compile/cuda_extension_builder.hpp"
#include "compile/cuda_toolkit.hpp"
#include "compile/extension_builder.hpp"
#include "compile/python_backend.hpp"
#include "compile/simt_backend.hpp"
#include "compile/simt_extension_builder.hpp"
#include "compile/torch_extension_backend.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "process/jail_support.hpp"

namespace assay::compile {

namespace {

/// Kernels of these types need nothing built beforehand.
void add_python(const BuildSettings& settings, BackendSet& backends) {
  for (const DeviceKind device : settings.devices) {
    for (const KernelType type :
         {KernelType::torch, KernelType::triton, KernelType::multi_kernel}) {
      const std::string lack = settings.python ? what_is_missing(*settings.python, type)
                                               : settings.python.error().message();
      if (lack.empty()) {
        backends.kernels.push_back(std::make_unique<PythonBackend>(type, device, *settings.python));
      } else {
        backends.missing.push_back({.type = type, .device = device, .reason = lack});
      }
    }
  }
}

Result<CudaBackendSettings> cuda_settings(const BuildSettings& settings) {
  std::vector<std::filesystem::path> roots = settings.cuda_toolkits;
  if (settings.python) roots.push_back(settings.python->program.parent_path().parent_path());
  ASSAY_TRY(CudaToolkit toolkit, find_cuda_toolkit(roots));
  return CudaBackendSettings{.toolkit = std::move(toolkit),
                             .device = settings.gpu,
                             .includes = settings.cuda_includes,
                             .executable = settings.executable};
}

/// Python kernels with CUDA inside.
void add_extensions(const BuildSettings& settings, const Result<Compiler>& compiler,
                    const std::filesystem::path& toolchains, const WorkArea& work,
                    const process::JailSupport& jails, const Clock& clock, BackendSet& backends) {
  std::string lack = !settings.python ? settings.python.error().message()
                     : !compiler      ? compiler.error().message()
                                      : what_is_missing(*settings.python, KernelType::torch);
  if (settings.extensions == nullptr && lack.empty()) lack = "nobody can run its source";
  for (const DeviceKind device : settings.devices) {
    auto cuda = device == DeviceKind::cuda ? cuda_settings(settings)
                                           : Result<CudaBackendSettings>(CudaBackendSettings{});
    if (!lack.empty() || !cuda) {
      backends.missing.push_back({.type = KernelType::torch_cuda,
                                  .device = device,
                                  .reason = lack.empty() ? cuda.error().message() : lack});
      continue;
    }
    std::unique_ptr<ExtensionBuilder> builder;
    if (device == DeviceKind::cuda) {
      builder = std::make_unique<CudaExtensionBuilder>(*compiler, *settings.python, *cuda,
                                                       toolchains, work, jails, clock);
    } else {
      builder = std::make_unique<SimtExtensionBuilder>(*compiler, *settings.python, toolchains,
                                                       work, jails, clock);
    }
    backends.kernels.push_back(
        std::make_unique<TorchExtensionBackend>(*builder, *settings.extensions));
    backends.extensions.push_back(std::move(builder));
  }
}

/// CUDA for GPUs, where there are any.
Result<void> add_cuda(const BuildSettings& settings, const process::JailSupport& jails,
                      const Clock& clock, BackendSet& backends) {
  if (std::ranges::find(settings.devices, DeviceKind::cuda) == settings.devices.end()) return {};
  auto found = cuda_settings(settings);
  Result<std::unique_ptr<CudaBackend>> backend =
      found ? CudaBackend::open(*std::move(found), jails, clock) : std::unexpected(found.error());
  if (backend) {
    backends.kernels.push_back(std::move(*backend));
    return {};
  }
  if (backend.error().code() != ErrorCode::not_found) {
    return std::unexpected(std::move(backend).error().while_doing("look for NVRTC"));
  }
  backends.missing.push_back(
      {.type = KernelType::cuda, .device = DeviceKind::cuda, .reason = backend.error().message()});
  return {};
}

}  // namespace

Result<std::unique_ptr<BuildSystem>> BuildSystem::open(const BuildSettings& settings,
                                                       const process::JailSupport& jails,
                                                       const Clock& clock) {
  const std::filesystem::path builds = settings.data_dir / "builds";
  ASSAY_TRY(WorkArea work, WorkArea::open(builds / "work"));
  std::unique_ptr<BuildSystem> system(new BuildSystem(std::move(work)));
  ASSAY_TRY(system->cache_,
            BuildCache::open(builds / "entries", settings.cache, system->work_, clock));

  BackendSet backends;
  auto compiler = find_compiler(settings.compiler, jails, clock);
  const std::filesystem::path toolchains =
      settings.toolchain_dir.value_or(settings.data_dir / "toolchains");
  if (compiler) {
    backends.kernels.push_back(
        std::make_unique<SimtBackend>(*compiler, toolchains, system->work_, jails, clock));
  } else if (compiler.error().code() == ErrorCode::not_found) {
    backends.missing.push_back({.type = KernelType::cuda,
                                .device = DeviceKind::cpu,
                                .reason = compiler.error().message()});
  } else {
    return std::unexpected(std::move(compiler).error().while_doing("look for a C++ compiler"));
  }
  add_python(settings, backends);
  add_extensions(settings, compiler, toolchains, system->work_, jails, clock, backends);
  if (auto added = add_cuda(settings, jails, clock, backends); !added) {
    return std::unexpected(added.error());
  }
  for (const auto& backend : backends.kernels) {
    system->backends_.push_back({.type = backend->type(),
                                 .device = backend->device(),
                                 .available = true,
                                 .detail = backend->describe()});
  }
  for (const auto& [type, device, reason] : backends.missing) {
    system->backends_.push_back(
        {.type = type, .device = device, .available = false, .detail = reason});
  }
  system->pool_ = std::make_unique<BuildPool>(settings.pool, std::move(backends), *system->cache_,
                                              system->work_, clock);
  return system;
}

}  // namespace assay::compile
