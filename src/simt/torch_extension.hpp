#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "simt/toolchain.hpp"

namespace assay::simt {

/// What extensions of one torch installation are compiled and linked with.
struct TorchPlace {
  std::vector<std::filesystem::path> include;  // torch's directories, in its order, and Python's
  std::filesystem::path library;               // the directory that holds libtorch.so
  std::filesystem::path prepared;              // ours, for the headers compiled beforehand
};

/// Compiles torch's headers into `prepared`, which must exist: seconds for each extension instead
/// of a minute, for about 800 MB of disk. Depends on the toolchain and the torch installation.
[[nodiscard]] Command torch_header_command(const Toolchain& toolchain, const TorchPlace& torch,
                                           Variant variant = Variant::plain);
/// Where that command writes; its directory must be made first.
[[nodiscard]] std::filesystem::path torch_header(const TorchPlace& torch, Variant variant);

/// Compiles the translated sources of one extension (TranslateOptions with `torch` and without
/// `module`) into a library that Python can import. A macro of the source's own, such as
/// TORCH_EXTENSION_NAME, belongs into its text: as an option it would rule out the compiled
/// headers.
[[nodiscard]] Command torch_extension_command(const Toolchain& toolchain, const TorchPlace& torch,
                                              Variant variant,
                                              std::span<const std::filesystem::path> sources,
                                              const std::filesystem::path& output,
                                              const std::vector<std::string>& options = {});

}  // namespace assay::simt
