#pragma once

#include <string_view>

namespace assay {

/// A file compiled into the binary by assay_embed (cmake/AssayEmbed.cmake).
struct EmbeddedFile {
  std::string_view path;  // relative, with '/'
  std::string_view content;
};

}  // namespace assay
