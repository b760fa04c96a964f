#include "trace/page/png.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::trace::testing {
namespace {

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

std::unexpected<Error> not_read(std::string why) {
  return fail(ErrorCode::invalid_argument, "PNG: " + std::move(why));
}

Result<std::vector<std::uint8_t>> inflate_all(const std::string& packed, std::size_t size) {
  std::vector<std::uint8_t> out(size);
  auto written = static_cast<uLongf>(size);
  const int status = uncompress(out.data(), &written, reinterpret_cast<const Bytef*>(packed.data()),
                                static_cast<uLong>(packed.size()));
  if (status != Z_OK || written != size) return not_read("its data do not inflate");
  return out;
}

std::uint8_t paeth(int left, int above, int corner) {
  const int estimate = left + above - corner;
  const int a = std::abs(estimate - left);
  const int b = std::abs(estimate - above);
  const int c = std::abs(estimate - corner);
  return static_cast<std::uint8_t>(a <= b && a <= c ? left : b <= c ? above : corner);
}

std::uint8_t predicted(std::uint8_t filter, int left, int above, int corner) {
  switch (filter) {
    case 1:
      return static_cast<std::uint8_t>(left);
    case 2:
      return static_cast<std::uint8_t>(above);
    case 3:
      return static_cast<std::uint8_t>((left + above) / 2);
    case 4:
      return paeth(left, above, corner);
    default:
      return 0;
  }
}

/// Undoes the filters, in place; each line is preceded by the number of its filter.
void unfilter(std::vector<std::uint8_t>& data, std::size_t stride, std::size_t channels) {
  for (std::size_t line = 0; line * (stride + 1) < data.size(); ++line) {
    std::uint8_t* row = &data[line * (stride + 1)];
    const std::uint8_t* before = line == 0 ? nullptr : row - stride;
    for (std::size_t i = 0; i < stride; ++i) {
      const int left = i >= channels ? row[1 + i - channels] : 0;
      const int above = before == nullptr ? 0 : before[i];
      const int corner = before == nullptr || i < channels ? 0 : before[i - channels];
      row[1 + i] = static_cast<std::uint8_t>(row[1 + i] + predicted(row[0], left, above, corner));
    }
  }
}

}  // namespace

std::size_t Image::count(std::uint32_t colour) const {
  return static_cast<std::size_t>(std::ranges::count(pixels, colour));
}

std::size_t Image::distinct_colours() const {
  return std::set<std::uint32_t>(pixels.begin(), pixels.end()).size();
}

Result<Image> read_png(const std::filesystem::path& path) {
  ASSAY_TRY(const std::string bytes, read_file(path));
  if (bytes.size() < 33 || !bytes.starts_with("\x89PNG")) return not_read("it is none");
  Image image{.width = big_endian(std::string_view(bytes).substr(16)),
              .height = big_endian(std::string_view(bytes).substr(20))};
  const std::size_t channels = bytes[25] == 6 ? 4 : 3;
  if (bytes[24] != 8 || (bytes[25] != 2 && bytes[25] != 6)) return not_read("its kind of pixels");
  std::string packed;
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t length = big_endian(std::string_view(bytes).substr(at));
    if (length > bytes.size() - at - 12) return not_read("a chunk leads outside");
    if (bytes.compare(at + 4, 4, "IDAT") == 0) packed.append(bytes, at + 8, length);
    at += length + 12;
  }
  const std::size_t stride = image.width * channels;
  ASSAY_TRY(std::vector<std::uint8_t> data, inflate_all(packed, (stride + 1) * image.height));
  unfilter(data, stride, channels);
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < image.width; ++x) {
      const std::uint8_t* pixel = &data[y * (stride + 1) + 1 + x * channels];
      image.pixels.push_back(static_cast<std::uint32_t>(pixel[0]) << 16U |
                             static_cast<std::uint32_t>(pixel[1]) << 8U | pixel[2]);
    }
  }
  return image;
}

}  // namespace assay::trace::testing
