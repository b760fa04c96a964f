#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/compiler.hpp"
#include "compile/toolchain.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "process/jail_support.hpp"
#include "python/extension_finder.hpp"
#include "python/interpreter.hpp"

namespace assay::compile {

/// Builds what a Python source passes to load_inline or load for the `cpu` device: its CUDA goes
/// through simt, its C++ against torch's headers, compiled once beforehand.
class TorchExtensionBackend final : public Backend {
 public:
  /// `finder`, `work`, `jails` and `clock` outlive this. The headers are compiled when the first
  /// such kernel comes: that takes half a minute and most servers never see one.
  TorchExtensionBackend(const Compiler& compiler, python::Interpreter interpreter,
                        python::ExtensionFinder& finder, std::filesystem::path toolchains,
                        const WorkArea& work, const process::JailSupport& jails,
                        const Clock& clock);

  [[nodiscard]] KernelType type() const override { return KernelType::torch_cuda; }
  [[nodiscard]] DeviceKind device() const override { return DeviceKind::cpu; }
  [[nodiscard]] Digest fingerprint() const override;
  [[nodiscard]] Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                         const std::stop_token& stop) override;
  [[nodiscard]] Result<Compilation> compile(const Kernel& kernel,
                                            const std::filesystem::path& directory,
                                            const Deadline& deadline,
                                            const std::stop_token& stop) override;
  [[nodiscard]] std::string describe() const override;

 private:
  [[nodiscard]] Toolchain& toolchain();
  [[nodiscard]] Result<std::variant<std::filesystem::path, Compilation>> build(
      const ExtensionCall& call, const std::filesystem::path& directory,
      const Deadline& deadline, const std::stop_token& stop);

  const Compiler compiler_;
  const python::Interpreter interpreter_;
  python::ExtensionFinder& finder_;
  const std::filesystem::path toolchains_;
  const WorkArea& work_;
  const process::JailSupport& jails_;
  const Clock& clock_;
  Mutex mutex_;
  std::unique_ptr<Toolchain> toolchain_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::compile
