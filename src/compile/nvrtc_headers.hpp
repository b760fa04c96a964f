#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"

namespace assay::compile {

struct NvrtcHeader {
  std::string name;
  std::string text;
};

/// The headers of the C and C++ libraries that kernels include without needing a host. NVRTC itself
/// brings none.
[[nodiscard]] const std::vector<NvrtcHeader>& nvrtc_headers();

/// What messages call the text below.
inline constexpr std::string_view kSignatureFile = "assay_signature.cuh";

/// Source to stand behind a kernel's own, so that its module says what the kernel takes.
[[nodiscard]] std::string signature_request(std::string_view expression);

/// The files of compile/nvrtc_include.
[[nodiscard]] std::span<const EmbeddedFile> nvrtc_include_files();

}  // namespace assay::compile
