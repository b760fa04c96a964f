#include "compile/torch_extension_backend.hpp"

#include <filesystem>
#include <stop_token>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/extension_builder.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "python/extension_finder.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

// Raise when the container's form or what a source is asked changes.
constexpr std::string_view kVersion = "extensions 3";

}  // namespace

Digest TorchExtensionBackend::fingerprint() const {
  return Hasher().field(kVersion).field(builder_.fingerprint()).field(describe()).finish();
}

Result<fs::path> TorchExtensionBackend::wait_ready(const Deadline& deadline,
                                                   const std::stop_token& stop) {
  return builder_.wait_ready(deadline, stop);
}

Result<Compilation> TorchExtensionBackend::compile(const Kernel& kernel, const fs::path& directory,
                                                   const Deadline& deadline,
                                                   const std::stop_token& stop) {
  ASSAY_TRY(auto found, finder_.find(kernel, deadline, stop));
  if (auto* verdict = std::get_if<Verdict>(&found)) {
    const bool lasting = std::holds_alternative<DidNotCompile>(*verdict) ||
                         std::holds_alternative<Unsupported>(*verdict);
    return Compilation{.record = std::move(*verdict), .lasting = lasting};
  }
  auto& calls = std::get<std::vector<ExtensionCall>>(found);
  if (auto verdict = too_large(calls)) return Compilation{.record = *std::move(verdict)};
  for (ExtensionCall& call : calls) call.instrumented = kernel.instrumented;
  return compile_extensions(builder_, calls, directory, deadline, stop);
}

}  // namespace assay::compile
