#include "compile/python_backend.hpp"

#include <expected>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_record.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "python/interpreter.hpp"

namespace assay::compile {

PythonBackend::PythonBackend(KernelType type, DeviceKind device, python::Interpreter interpreter)
    : type_(type), device_(device), interpreter_(std::move(interpreter)) {}

Digest PythonBackend::fingerprint() const {
  return Hasher().field(describe()).finish();
}

Result<std::filesystem::path> PythonBackend::wait_ready(const Deadline&, const std::stop_token&) {
  return interpreter_.program.parent_path();
}

Result<Compilation> PythonBackend::compile(const Kernel& kernel,
                                           const std::filesystem::path& directory, const Deadline&,
                                           const std::stop_token&) {
  const std::filesystem::path module = directory / "kernel.py";
  if (auto written = write_file_atomically(module, kernel.source); !written) {
    return std::unexpected(std::move(written).error());
  }
  return Compilation{
      .record = CompiledKernel{
          .module = module, .entry = {}, .compiler = interpreter_.describe(), .log = {}}};
}

std::string PythonBackend::describe() const {
  return fmt::format("{} at {}", interpreter_.describe(), interpreter_.program.string());
}

std::string what_is_missing(const python::Interpreter& interpreter, KernelType type) {
  const auto lacks = [&](const char* package) {
    return fmt::format("{} ({}) has no {}", interpreter.program.string(), interpreter.describe(),
                       package);
  };
  if (interpreter.torch.empty()) return lacks("torch");
  if (interpreter.numpy.empty()) return lacks("numpy");
  if (type == KernelType::triton && interpreter.triton.empty()) return lacks("triton");
  return {};
}

}  // namespace assay::compile
