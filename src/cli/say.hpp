#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace assay::cli {

/// Prints, and goes on where nobody reads any more: a run must not end because a terminal is gone.
/// fmt::print would throw.
template <class... Args>
void say(std::FILE* to, fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  (void)std::fwrite(text.data(), 1, text.size(), to);
}

}  // namespace assay::cli
