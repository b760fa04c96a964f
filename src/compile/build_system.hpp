#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/disk_budget.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "compile/build_cache.hpp"
#include "compile/build_pool.hpp"
#include "compile/builder.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "process/jail_support.hpp"
#include "python/extension_finder.hpp"
#include "python/interpreter.hpp"

namespace assay::compile {

struct BuildSettings {
  std::filesystem::path data_dir;
  /// Absent: <data_dir>/toolchains. On the file system of data_dir; may be shared by several.
  std::optional<std::filesystem::path> toolchain_dir;
  std::optional<std::filesystem::path> compiler;  // absent: the host's usual one
  Result<python::Interpreter> python = fail(ErrorCode::not_found, "not looked for");
  python::ExtensionFinder* extensions = nullptr;  // absent: torch_cuda cannot be built
  std::vector<DeviceKind> devices{DeviceKind::cpu};
  ComputeCapability gpu;  // what GPUs here run, where `devices` has cuda
  std::vector<std::filesystem::path> cuda_toolkits;
  std::vector<std::filesystem::path> cuda_includes;
  std::filesystem::path executable;  // our own: it holds the program that runs NVRTC
  DiskLimits cache;
  PoolSettings pool;
};

/// What can be built here, for people.
struct BackendStatus {
  KernelType type;
  DeviceKind device;
  bool available;
  std::string detail;  // the compiler, or what to install
};

/// Every backend this host has the tools for, with the cache and the pool they share. Keeps
/// <data_dir>/builds and the toolchains; several processes may use the same directories.
class BuildSystem {
 public:
  /// `jails` and `clock` outlive it. A missing tool is no failure: what needs the tool is
  /// unsupported.
  [[nodiscard]] static Result<std::unique_ptr<BuildSystem>> open(const BuildSettings& settings,
                                                                 const process::JailSupport& jails,
                                                                 const Clock& clock);

  [[nodiscard]] Builder& builder() { return *pool_; }
  [[nodiscard]] const std::vector<BackendStatus>& describe() const { return backends_; }

 private:
  explicit BuildSystem(WorkArea work) : work_(std::move(work)) {}

  WorkArea work_;
  std::unique_ptr<BuildCache> cache_;
  std::vector<BackendStatus> backends_;
  std::unique_ptr<BuildPool> pool_;  // last: it uses the above
};

}  // namespace assay::compile
