#include "compile/extension_builder.hpp"

#include <cstddef>
#include <expected>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_record.hpp"
#include "compile/compiler_end.hpp"
#include "compile/extension_container.hpp"
#include "compile/extension_units.hpp"
#include "model/extension.hpp"
#include "model/verdict.hpp"

namespace assay::compile {

std::optional<Verdict> too_large(std::size_t source_bytes) {
  if (source_bytes <= kLargestSource) return std::nullopt;
  return DidNotCompile{.log = fmt::format("the source is larger than {} bytes", kLargestSource)};
}

std::optional<Verdict> too_large(const std::vector<ExtensionCall>& calls) {
  std::size_t size = 0;
  for (const ExtensionCall& call : calls) {
    for (const ExtensionSource& source : call.sources) size += source.text.size();
  }
  return too_large(size);
}

Result<Compilation> compile_extensions(ExtensionBuilder& builder,
                                       const std::vector<ExtensionCall>& calls,
                                       const std::filesystem::path& directory,
                                       const Deadline& deadline, const std::stop_token& stop) {
  std::vector<ExtensionFile> files;
  std::string log;
  for (const ExtensionCall& call : calls) {
    if (const auto kernel = bound_kernel(call)) {
      return rejected(fmt::format(
          "'{}' is a __global__ function: Python cannot call it. Bind a function of the host that "
          "launches it with <<<…>>>, and name that one in `functions` or m.def",
          *kernel));
    }
    ASSAY_TRY(auto made, builder.build(call, directory / call.key, deadline, stop));
    if (auto* failed = std::get_if<Compilation>(&made)) return std::move(*failed);
    auto& built = std::get<BuiltExtension>(made);
    files.insert(files.end(), built.files.begin(), built.files.end());
    log += built.log;
  }
  const std::filesystem::path container = directory / "extensions";
  if (auto written = write_container(container, files); !written) {
    return std::unexpected(std::move(written).error());
  }
  return Compilation{
      .record = CompiledKernel{
          .module = container, .entry = {}, .compiler = builder.describe(), .log = std::move(log)}};
}

}  // namespace assay::compile
