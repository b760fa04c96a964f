#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"
#include "model/extension.hpp"
#include "process/run_captured.hpp"

namespace assay::compile {

/// Torch's headers as the preprocessor leaves them, with the definitions of their macros (-E -dD).
/// Every name that they declare occurs there.
struct HeaderTexts {
  std::filesystem::path few;
  std::filesystem::path all;
};

/// Where a toolchain keeps them.
[[nodiscard]] HeaderTexts header_texts(const std::filesystem::path& toolchain);

/// A run of a compiler over sources of a call.
struct JudgedRun {
  process::CapturedRun run;
  bool own_error = false;  // it failed, and more headers would not help
};

/// Whether the first error in `log` is a mistake of the sources themselves. Then compiling them
/// again with all headers would not help. Such errors are about grammar, an #include, or a name
/// that no header mentions. The answer is no where more headers might help, for example with an
/// overload, and where the sources use a macro that only all headers have.
/// The log names headers by absolute paths, and sources otherwise.
[[nodiscard]] Result<bool> is_own_error(std::string_view log, const ExtensionCall& call,
                                        const HeaderTexts& headers);

}  // namespace assay::compile
