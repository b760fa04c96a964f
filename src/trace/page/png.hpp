#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::trace::testing {

/// Enough of a PNG reader to look at a screenshot: eight bits a channel, RGB or RGBA, not
/// interlaced.
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint32_t> pixels;  // 0xRRGGBB

  [[nodiscard]] std::size_t count(std::uint32_t colour) const;
  [[nodiscard]] std::size_t distinct_colours() const;
};

[[nodiscard]] Result<Image> read_png(const std::filesystem::path& path);

}  // namespace assay::trace::testing
