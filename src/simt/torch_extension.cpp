#include "simt/torch_extension.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "simt/toolchain.hpp"
#include "simt/toolchain_flags.hpp"

namespace assay::simt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTorchPrelude = "assay/simt/torch_prelude.hpp";

std::vector<std::string> torch_flags(const Toolchain& toolchain, const TorchPlace& torch,
                                     Variant variant, TorchHeaders headers) {
  std::vector<std::string> flags = compile_flags(toolchain, variant);
  std::vector<std::string> first;
  if (headers == TorchHeaders::few) first = few_headers_flags(toolchain.directory);
  // Ours come first: they stand in for headers of torch that need NVIDIA's libraries.
  first.insert(first.end(), {"-isystem", torch.prepared.string(), "-isystem",
                             (toolchain.directory / "include_torch").string()});
  flags.insert(std::ranges::find(flags, "-isystem"), first.begin(), first.end());
  for (const fs::path& directory : torch.include) {
    flags.insert(flags.end(), {"-isystem", directory.string()});
  }
  flags.emplace_back("-DTORCH_API_INCLUDE_EXTENSION_H");
  return flags;
}

/// What a source is compiled or preprocessed with.
Command source_command(const Toolchain& toolchain, const TorchPlace& torch, Variant variant,
                       TorchHeaders headers) {
  const bool all = headers == TorchHeaders::all;
  Command command = {toolchain.compiler};
  if (!all) {
    command.insert(command.end(),
                   {"-isystem", (toolchain.directory / "include_torch_lean").string()});
  }
  for (auto& flag : torch_flags(toolchain, torch, variant, headers)) {
    command.push_back(std::move(flag));
  }
  // The compiled header must be the first.
  command.insert(command.end(), {"-include", std::string(kTorchPrelude), "-include",
                                 all ? "assay/simt/torch_all.hpp" : kTorchBinding});
  return command;
}

}  // namespace

fs::path torch_binding_object(const fs::path& prepared) {
  return prepared / "binding.o";
}

std::vector<std::string> few_headers_flags(const fs::path& toolchain) {
  return {"-DASSAY_TORCH_FEW", "-isystem", (toolchain / "include_torch_few").string()};
}

fs::path torch_header(const TorchPlace& torch, Variant variant, TorchHeaders headers) {
  // The compiler takes the one of this directory that was made with its flags.
  return torch.prepared / fmt::format("{}.gch", kTorchPrelude) /
         fmt::format("{}{}", variant == Variant::plain ? "plain" : "instrumented",
                     headers == TorchHeaders::few ? "_few" : "");
}

Command torch_header_command(const Toolchain& toolchain, const TorchPlace& torch, Variant variant,
                             TorchHeaders headers) {
  Command command = {toolchain.compiler};
  for (auto& flag : torch_flags(toolchain, torch, variant, headers)) {
    command.push_back(flag == "c++" ? "c++-header" : std::move(flag));
  }
  command.insert(command.end(), {"-o", torch_header(torch, variant, headers).string(),
                                 (toolchain.directory / "include_torch" / kTorchPrelude).string()});
  return command;
}

Command torch_binding_command(const Toolchain& toolchain, const TorchPlace& torch) {
  const fs::path ours = toolchain.directory / "include_torch";
  Command command = {toolchain.compiler,    "-std=c++20", "-O2",      "-fPIC",
                     "-fvisibility=hidden", "-w",         "-isystem", ours.string()};
  for (const fs::path& directory : torch.include) {
    command.insert(command.end(), {"-isystem", directory.string()});
  }
  command.insert(command.end(), {"-c", "-o", torch_binding_object(torch.prepared).string(),
                                 (ours / "assay/torch/binding.cpp").string()});
  return command;
}

Command torch_text_command(const Toolchain& toolchain, const TorchPlace& torch,
                           TorchHeaders headers, const fs::path& text) {
  Command command = source_command(toolchain, torch, Variant::plain, headers);
  command.insert(command.end(), {"-E", "-dD", "-P", "-o", text.string(), "/dev/null"});
  return command;
}

Command torch_object_command(const Toolchain& toolchain, const TorchPlace& torch, Variant variant,
                             TorchHeaders headers, const fs::path& source, const fs::path& object,
                             const std::vector<std::string>& options) {
  Command command = source_command(toolchain, torch, variant, headers);
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-c", "-o", object.string(), source.string()});
  return command;
}

Command torch_link_command(const Toolchain& toolchain, const TorchPlace& torch, Variant variant,
                           std::span<const fs::path> objects, const fs::path& library) {
  Command command = {toolchain.compiler, "-shared", "-pthread", "-o", library.string()};
  for (const fs::path& object : objects) command.push_back(object.string());
  command.push_back(torch_binding_object(torch.prepared).string());
  for (auto& flag : link_flags(toolchain, variant)) command.push_back(std::move(flag));
  command.insert(command.end(), {"-L" + torch.library.string(), "-lc10", "-ltorch_cpu", "-ltorch",
                                 "-ltorch_python", "-Wl,-rpath," + toolchain.directory.string()});
  return command;
}

}  // namespace assay::simt
