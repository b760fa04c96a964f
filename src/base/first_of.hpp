#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace assay {

/// "a, b": all of them, or the first six and how many more there are.
[[nodiscard]] inline std::string first_of(std::span<const std::string> names) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), kMost))) {
    text += (text.empty() ? "" : ", ") + name;
  }
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

}  // namespace assay
