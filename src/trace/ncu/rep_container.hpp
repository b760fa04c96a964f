#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::trace {

/// A block of an `.ncu-rep` file: its header and the messages of its payload, all encoded.
struct RepBlock {
  std::string_view header;
  std::vector<std::string_view> messages;
};

/// Whether the bytes start as an `.ncu-rep` file does.
[[nodiscard]] bool looks_like_rep(std::string_view bytes);

/// Takes the container apart: magic, file header, then blocks of length-prefixed messages. Fails
/// with `data_loss` where a length leads outside the file; the views borrow from `bytes`.
[[nodiscard]] Result<std::vector<RepBlock>> split_rep(std::string_view bytes);

}  // namespace assay::trace
