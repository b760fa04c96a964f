#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "simt/toolchain.hpp"

namespace assay::simt {

/// How much of torch's headers a source sees. `few` is tensors, the commonest operators and modules
/// of plain functions; it takes a fraction of the time. `lean` adds all operators. `all` is
/// torch/extension.h. What compiles with one compiles with the next, and means the same.
enum class TorchHeaders : std::uint8_t { few, lean, all };

/// What extensions of one torch installation are compiled and linked with.
struct TorchPlace {
  std::vector<std::filesystem::path> include;  // torch's directories, in its order, and Python's
  std::filesystem::path library;               // the directory that holds libtorch.so
  std::filesystem::path prepared;              // ours, for the headers compiled beforehand
};

/// Flags that let a source see only a few of torch's headers. They must stand before all other
/// directories. The headers themselves are compiled with them too.
[[nodiscard]] std::vector<std::string> few_headers_flags(const std::filesystem::path& toolchain);

/// Compiles torch's headers into `prepared`, which must exist. Each extension then takes seconds
/// instead of a minute. It takes up to 600 MB of disk. Depends on the toolchain and the torch
/// installation.
[[nodiscard]] Command torch_header_command(const Toolchain& toolchain, const TorchPlace& torch,
                                           Variant variant, TorchHeaders headers);
/// Writes all that a source sees of `headers`, preprocessed and with the definitions of macros.
[[nodiscard]] Command torch_text_command(const Toolchain& toolchain, const TorchPlace& torch,
                                         TorchHeaders headers, const std::filesystem::path& text);
/// What a source includes after its headers if they lack pybind11.
inline constexpr const char* kTorchBinding = "assay/torch/binding.hpp";
/// What extensions of such sources are linked with, in the directory `prepared`.
[[nodiscard]] std::filesystem::path torch_binding_object(const std::filesystem::path& prepared);
/// Compiles it.
[[nodiscard]] Command torch_binding_command(const Toolchain& toolchain, const TorchPlace& torch);
/// Where torch_header_command writes; its directory must be made first.
[[nodiscard]] std::filesystem::path torch_header(const TorchPlace& torch, Variant variant,
                                                 TorchHeaders headers);

/// For a source that will be compiled again with more headers if this fails. The first error says
/// enough, and comes in a tenth of the time.
inline constexpr const char* kOneErrorSuffices = "-fmax-errors=1";
/// For errors that somebody will read.
inline constexpr const char* kErrorsShown = "-fmax-errors=20";

/// Compiles one translated source of an extension (TranslateOptions with `torch` and without
/// `module`). A macro of the source's own, such as TORCH_EXTENSION_NAME, belongs into its text: as
/// an option it would rule out the compiled headers.
[[nodiscard]] Command torch_object_command(const Toolchain& toolchain, const TorchPlace& torch,
                                           Variant variant, TorchHeaders headers,
                                           const std::filesystem::path& source,
                                           const std::filesystem::path& object,
                                           const std::vector<std::string>& options = {});
/// Links all of them into a library that Python can import, whatever headers they were compiled
/// with.
[[nodiscard]] Command torch_link_command(const Toolchain& toolchain, const TorchPlace& torch,
                                         Variant variant,
                                         std::span<const std::filesystem::path> objects,
                                         const std::filesystem::path& library);

}  // namespace assay::simt
