#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/cuda_options.hpp"
#include "compile/cuda_toolkit.hpp"
#include "model/artifact.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"

namespace assay::compile {

struct CudaBackendSettings {
  CudaToolkit toolkit;
  ComputeCapability device;                       // of every GPU this server uses
  std::vector<std::filesystem::path> includes{};  // headers kernels may ask for: CUTLASS
  std::filesystem::path executable;               // our own, which holds the compiler's program
};

/// CUDA C++ as machine code for a GPU. NVRTC compiles each source in a process of its own. nvcc
/// compiles it if the kernel asks for that, or if NVRTC lacks a header that nvcc has.
class CudaBackend final : public Backend {
 public:
  /// Asks NVRTC for its version, which also brings the library into memory. `jails` outlives this.
  /// Fails with `not_found` where NVRTC does not work.
  [[nodiscard]] static Result<std::unique_ptr<CudaBackend>> open(CudaBackendSettings settings,
                                                                 const process::JailSupport& jails,
                                                                 const Clock& clock);

  [[nodiscard]] KernelType type() const override { return KernelType::cuda; }
  [[nodiscard]] DeviceKind device() const override { return DeviceKind::cuda; }
  [[nodiscard]] Digest fingerprint() const override;
  [[nodiscard]] Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                         const std::stop_token& stop) override;
  [[nodiscard]] Result<Compilation> compile(const Kernel& kernel,
                                            const std::filesystem::path& directory,
                                            const Deadline& deadline,
                                            const std::stop_token& stop) override;
  [[nodiscard]] std::string describe() const override;

 private:
  struct Build;  // one compilation under way

  CudaBackend(CudaBackendSettings settings, const process::JailSupport& jails, std::string version);
  [[nodiscard]] Result<Compilation> by_nvrtc(const Build& build, std::string_view source,
                                             std::span<const std::string> more_flags) const;
  [[nodiscard]] Result<Compilation> by_nvcc(const Build& build) const;
  [[nodiscard]] Result<process::CapturedRun> run_nvcc(const Build& build, const char* form,
                                                      const std::filesystem::path& output) const;
  /// The artifacts that the kernel wants beside its module. One that cannot be had says why.
  [[nodiscard]] Result<std::vector<Artifact>> artifacts_of(const Build& build) const;
  [[nodiscard]] std::string log_of(const Build& build, const process::CapturedRun& run) const;

  const CudaBackendSettings settings_;
  const process::JailSupport& jails_;
  const std::string version_;  // of NVRTC
};

}  // namespace assay::compile
