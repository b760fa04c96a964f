#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "python/interpreter.hpp"

namespace assay::compile {

/// Says whether Python kernels can run here. There is nothing to compile: whoever imports them
/// builds them.
class PythonBackend final : public Backend {
 public:
  PythonBackend(KernelType type, DeviceKind device, python::Interpreter interpreter);

  [[nodiscard]] KernelType type() const override { return type_; }
  [[nodiscard]] DeviceKind device() const override { return device_; }
  [[nodiscard]] Digest fingerprint() const override;
  [[nodiscard]] Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                         const std::stop_token& stop) override;
  [[nodiscard]] Result<Compilation> compile(const Kernel& kernel,
                                            const std::filesystem::path& directory,
                                            const Deadline& deadline,
                                            const std::stop_token& stop) override;
  [[nodiscard]] std::string describe() const override;

 private:
  KernelType type_;
  DeviceKind device_;
  python::Interpreter interpreter_;
};

/// Why this interpreter cannot run kernels of that type; empty where it can.
[[nodiscard]] std::string what_is_missing(const python::Interpreter& interpreter, KernelType type);

}  // namespace assay::compile
