#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::simt {

/// Something in a source that only a GPU can do.
struct Unsupported {
  std::string construct;  // "inline PTX", as the verdict names it
  std::uint32_t line = 0;
};

/// Everything in `source` that cannot run on this device, in order. Text that a conditional leaves
/// out does not count; it is decided for the architecture and macros that simt compiles with.
/// `macros` are directives that stand before the source.
[[nodiscard]] std::vector<Unsupported> find_unsupported(std::string_view source,
                                                        std::string_view macros = {});

}  // namespace assay::simt
