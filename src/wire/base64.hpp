#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::wire {

/// Standard alphabet, padding required, no white space: what clients of the compatible API send.
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);
[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// Inflates a zlib stream (RFC 1950) that must hold exactly `size` bytes. A stream that would grow
/// past it is refused before it is inflated.
[[nodiscard]] Result<std::string> inflate_zlib(std::string_view stream, std::size_t size);

}  // namespace assay::wire
