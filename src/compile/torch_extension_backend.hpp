#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/extension_builder.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "python/extension_finder.hpp"

namespace assay::compile {

/// Python sources with CUDA inside: finds out what they pass to load_inline or load, has it built,
/// and puts all of it into one container.
class TorchExtensionBackend final : public Backend {
 public:
  /// Both outlive this.
  TorchExtensionBackend(ExtensionBuilder& builder, python::ExtensionFinder& finder)
      : builder_(builder), finder_(finder) {}

  [[nodiscard]] KernelType type() const override { return KernelType::torch_cuda; }
  [[nodiscard]] DeviceKind device() const override { return builder_.device(); }
  [[nodiscard]] Digest fingerprint() const override;
  [[nodiscard]] Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                         const std::stop_token& stop) override;
  [[nodiscard]] Result<Compilation> compile(const Kernel& kernel,
                                            const std::filesystem::path& directory,
                                            const Deadline& deadline,
                                            const std::stop_token& stop) override;
  [[nodiscard]] std::string preparation() const override { return builder_.preparation(); }
  [[nodiscard]] std::string describe() const override { return builder_.describe(); }

 private:
  ExtensionBuilder& builder_;
  python::ExtensionFinder& finder_;
};

}  // namespace assay::compile
