#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "simt/toolchain.hpp"

namespace assay::simt {

/// How much of torch's headers a source sees. `lean` is tensors, operators and modules of plain
/// functions, in a fraction of the time; `all` is torch/extension.h. What compiles with `lean`
/// compiles with `all` and means the same.
enum class TorchHeaders : std::uint8_t { lean, all };

/// What extensions of one torch installation are compiled and linked with.
struct TorchPlace {
  std::vector<std::filesystem::path> include;  // torch's directories, in its order, and Python's
  std::filesystem::path library;               // the directory that holds libtorch.so
  std::filesystem::path prepared;              // ours, for the headers compiled beforehand
};

/// Compiles torch's headers into `prepared`, which must exist: seconds for each extension instead
/// of a minute, for about 600 MB of disk. Depends on the toolchain and the torch installation.
[[nodiscard]] Command torch_header_command(const Toolchain& toolchain, const TorchPlace& torch,
                                           Variant variant = Variant::plain);
/// What extensions with lean headers are linked with, in the directory `prepared`.
[[nodiscard]] std::filesystem::path torch_binding_object(const std::filesystem::path& prepared);
/// Compiles it.
[[nodiscard]] Command torch_binding_command(const Toolchain& toolchain, const TorchPlace& torch);
/// Where that command writes; its directory must be made first.
[[nodiscard]] std::filesystem::path torch_header(const TorchPlace& torch, Variant variant);

/// Compiles one translated source of an extension (TranslateOptions with `torch` and without
/// `module`). A macro of the source's own, such as TORCH_EXTENSION_NAME, belongs into its text: as
/// an option it would rule out the compiled headers.
[[nodiscard]] Command torch_object_command(const Toolchain& toolchain, const TorchPlace& torch,
                                           Variant variant, TorchHeaders headers,
                                           const std::filesystem::path& source,
                                           const std::filesystem::path& object,
                                           const std::vector<std::string>& options = {});
/// Makes a library that Python can import of all of them, whatever headers they were compiled with.
[[nodiscard]] Command torch_link_command(const Toolchain& toolchain, const TorchPlace& torch,
                                         Variant variant,
                                         std::span<const std::filesystem::path> objects,
                                         const std::filesystem::path& library);

}  // namespace assay::simt
