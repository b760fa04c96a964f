#include "compile/torch_extension_backend.hpp"

#include <expected>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_record.hpp"
#include "compile/extension_builder.hpp"
#include "compile/extension_container.hpp"
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

TorchExtensionBackend::TorchExtensionBackend(std::unique_ptr<ExtensionBuilder> builder,
                                             python::ExtensionFinder& finder)
    : builder_(std::move(builder)), finder_(finder) {}

Digest TorchExtensionBackend::fingerprint() const {
  return Hasher().field(kVersion).field(builder_->fingerprint()).field(describe()).finish();
}

Result<fs::path> TorchExtensionBackend::wait_ready(const Deadline& deadline,
                                                   const std::stop_token& stop) {
  return builder_->wait_ready(deadline, stop);
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
  std::vector<ExtensionFile> files;
  std::string log;
  for (ExtensionCall& call : std::get<std::vector<ExtensionCall>>(found)) {
    call.instrumented = kernel.instrumented;
    ASSAY_TRY(auto made, builder_->build(call, directory / call.key, deadline, stop));
    if (auto* failed = std::get_if<Compilation>(&made)) return std::move(*failed);
    auto& built = std::get<BuiltExtension>(made);
    files.insert(files.end(), built.files.begin(), built.files.end());
    log += built.log;
  }
  const fs::path container = directory / "extensions";
  if (auto written = write_container(container, files); !written) {
    return std::unexpected(std::move(written).error());
  }
  return Compilation{
      .record = CompiledKernel{
          .module = container, .entry = {}, .compiler = describe(), .log = std::move(log)}};
}

}  // namespace assay::compile
