#pragma once

#include <string>
#include <vector>

#include "simt/toolchain.hpp"

namespace assay::simt {

/// Flags that a precompiled header and its users must share.
[[nodiscard]] std::vector<std::string> compile_flags(const Toolchain& toolchain, Variant variant);

/// What stands after the sources wherever a library or a program is made of them.
[[nodiscard]] std::vector<std::string> link_flags(const Toolchain& toolchain, Variant variant);

}  // namespace assay::simt
