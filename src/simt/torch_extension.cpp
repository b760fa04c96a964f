#include "simt/torch_extension.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "simt/toolchain_flags.hpp"

namespace assay::simt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrelude = "assay/simt/torch_prelude.hpp";

std::vector<std::string> torch_flags(const Toolchain& toolchain, const TorchPlace& torch,
                                     Variant variant) {
  std::vector<std::string> flags = compile_flags(toolchain, variant);
  // Ours come first: they stand in for headers of torch that need NVIDIA's libraries.
  const std::vector<std::string> first = {"-isystem", torch.prepared.string(), "-isystem",
                                          (toolchain.directory / "include_torch").string()};
  flags.insert(std::ranges::find(flags, "-isystem"), first.begin(), first.end());
  for (const fs::path& directory : torch.include) {
    flags.insert(flags.end(), {"-isystem", directory.string()});
  }
  flags.emplace_back("-DTORCH_API_INCLUDE_EXTENSION_H");
  return flags;
}

}  // namespace

fs::path torch_header(const TorchPlace& torch, Variant variant) {
  return torch.prepared / fmt::format("{}.gch", kPrelude) /
         (variant == Variant::plain ? "plain" : "instrumented");
}

Command torch_header_command(const Toolchain& toolchain, const TorchPlace& torch, Variant variant) {
  Command command = {toolchain.compiler};
  for (auto& flag : torch_flags(toolchain, torch, variant)) {
    command.push_back(flag == "c++" ? "c++-header" : std::move(flag));
  }
  command.insert(command.end(), {"-o", torch_header(torch, variant).string(),
                                 (toolchain.directory / "include_torch" / kPrelude).string()});
  return command;
}

Command torch_extension_command(const Toolchain& toolchain, const TorchPlace& torch,
                                Variant variant, std::span<const fs::path> sources,
                                const fs::path& output, const std::vector<std::string>& options) {
  Command command = {toolchain.compiler, "-shared"};
  for (auto& flag : torch_flags(toolchain, torch, variant)) command.push_back(std::move(flag));
  command.insert(command.end(), {"-include", std::string(kPrelude)});
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-o", output.string()});
  for (const fs::path& source : sources) command.push_back(source.string());
  for (auto& flag : link_flags(toolchain, variant)) command.push_back(std::move(flag));
  command.insert(command.end(), {"-L" + torch.library.string(), "-lc10", "-ltorch_cpu", "-ltorch",
                                 "-ltorch_python", "-Wl,-rpath," + toolchain.directory.string()});
  return command;
}

}  // namespace assay::simt
