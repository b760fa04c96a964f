#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/compiler.hpp"
#include "compile/compiler_run.hpp"
#include "compile/cuda_backend.hpp"
#include "compile/extension_builder.hpp"
#include "compile/own_error.hpp"
#include "compile/toolchain.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "process/jail_support.hpp"
#include "python/interpreter.hpp"

namespace assay::simt {
enum class TorchHeaders : std::uint8_t;
}

namespace assay::compile {

/// Builds extensions for GPUs in seconds, where nvcc takes a minute. A C++ compiler compiles the
/// host side, with torch's headers compiled beforehand. NVRTC compiles the device side, for the
/// instances that the host side launches. A source that cannot be taken apart, or fails this way,
/// goes to nvcc whole, with as few of torch's headers as it needs.
class CudaExtensionBuilder final : public ExtensionBuilder {
 public:
  /// `work`, `jails` and `clock` outlive this.
  CudaExtensionBuilder(const Compiler& compiler, python::Interpreter interpreter,
                       CudaBackendSettings cuda, std::filesystem::path toolchains,
                       const WorkArea& work, const process::JailSupport& jails, const Clock& clock);

  [[nodiscard]] DeviceKind device() const override { return DeviceKind::cuda; }
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
  struct Build;  // one call under way
  struct Parts;  // a call's sources, taken apart
  struct Unit;   // what a compiler is given at once

  [[nodiscard]] static Result<Parts> take_apart(const Build& build);
  [[nodiscard]] Result<BuiltExtension> in_two_parts(const Build& build);
  [[nodiscard]] Result<void> compile_host(const Build& build, const std::vector<std::string>& texts,
                                          const std::vector<simt::TorchHeaders>& headers);
  [[nodiscard]] Result<std::optional<JudgedRun>> compile_units(
      const Build& build, const std::vector<Unit>& units,
      const std::vector<simt::TorchHeaders>& headers);
  [[nodiscard]] Result<JudgedRun> compile_unit(const Build& build, const Unit& unit,
                                               const std::vector<simt::TorchHeaders>& headers);
  [[nodiscard]] Result<std::vector<ExtensionFile>> compile_device(const Build& build,
                                                                  const Parts& parts);
  [[nodiscard]] Result<std::vector<std::string>> symbols(const Build& build, bool demangled);
  [[nodiscard]] Result<std::variant<BuiltExtension, Compilation>> as_a_whole(
      const Build& build, const std::string& reason);
  [[nodiscard]] Result<process::CapturedRun> run(const Build& build,
                                                 const std::filesystem::path& program,
                                                 std::vector<std::string> arguments) const;
  [[nodiscard]] std::vector<std::string> host_command(simt::TorchHeaders headers);
  [[nodiscard]] std::vector<std::string> nvcc_command(const ExtensionCall& call,
                                                      simt::TorchHeaders headers);
  [[nodiscard]] std::vector<std::string> link_command(
      const Build& build, const std::vector<std::filesystem::path>& objects) const;

  const Compiler compiler_;
  const python::Interpreter interpreter_;
  const CudaBackendSettings cuda_;
  const process::JailSupport& jails_;
  const std::filesystem::path toolchains_;
  ToolchainOnDemand toolchain_;
};

}  // namespace assay::compile
