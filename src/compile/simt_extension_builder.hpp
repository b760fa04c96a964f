#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/compiler.hpp"
#include "compile/extension_builder.hpp"
#include "compile/own_error.hpp"
#include "compile/toolchain.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "python/interpreter.hpp"

namespace assay::simt {
enum class TorchHeaders : std::uint8_t;
}

namespace assay::compile {

/// For the `cpu` device: CUDA goes through simt, C++ against torch's headers, compiled once
/// beforehand.
class SimtExtensionBuilder final : public ExtensionBuilder {
 public:
  /// `work`, `jails` and `clock` outlive this. The headers are compiled when the first such kernel
  /// comes: that takes half a minute, and most servers never see one.
  SimtExtensionBuilder(const Compiler& compiler, python::Interpreter interpreter,
                       std::filesystem::path toolchains, const WorkArea& work,
                       const process::JailSupport& jails, const Clock& clock);

  [[nodiscard]] DeviceKind device() const override { return DeviceKind::cpu; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                         const std::stop_token& stop) override;
  [[nodiscard]] std::string preparation() const override {
    return "compiling torch's headers, first time only, about a minute on an idle machine";
  }
  [[nodiscard]] Result<std::variant<BuiltExtension, Compilation>> build(
      const ExtensionCall& call, const std::filesystem::path& directory, const Deadline& deadline,
      const std::stop_token& stop) override;
  [[nodiscard]] std::string describe() const override;

 private:
  struct Build;

  [[nodiscard]] Result<JudgedRun> make_library(const Build& build,
                                               const std::vector<std::string>& texts,
                                               const std::vector<simt::TorchHeaders>& headers,
                                               const char* errors);
  [[nodiscard]] Result<process::CapturedRun> run(const Build& build,
                                                 std::vector<std::string> command);

  const Compiler compiler_;
  const python::Interpreter interpreter_;
  const process::JailSupport& jails_;
  ToolchainOnDemand toolchain_;
};

}  // namespace assay::compile
