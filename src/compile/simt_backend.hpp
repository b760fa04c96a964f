#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/compiler.hpp"
#include "compile/toolchain.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "process/jail_support.hpp"

namespace assay::compile {

/// CUDA C++ as a shared library for the `cpu` device: translated by simt, compiled by the host's
/// C++ compiler.
class SimtBackend final : public Backend {
 public:
  /// `work`, `jails` and `clock` outlive this. Makes its toolchain in the background at once.
  SimtBackend(const Compiler& compiler, const std::filesystem::path& toolchains,
              const WorkArea& work, const process::JailSupport& jails, const Clock& clock);

  [[nodiscard]] KernelType type() const override { return KernelType::cuda; }
  [[nodiscard]] DeviceKind device() const override { return DeviceKind::cpu; }
  [[nodiscard]] Digest fingerprint() const override;
  [[nodiscard]] Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                         const std::stop_token& stop) override;
  [[nodiscard]] std::string preparation() const override {
    return "compiling CUDA headers, first time only, about 20 s on an idle machine";
  }
  [[nodiscard]] Result<Compilation> compile(const Kernel& kernel,
                                            const std::filesystem::path& directory,
                                            const Deadline& deadline,
                                            const std::stop_token& stop) override;
  [[nodiscard]] std::string describe() const override;

 private:
  const process::JailSupport& jails_;
  Toolchain toolchain_;
};

}  // namespace assay::compile
