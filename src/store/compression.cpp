#include "store/compression.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <zstd.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::store {
namespace {

constexpr char kPlain = 'p';
constexpr char kZstd = 'z';
constexpr std::size_t kWorthIt = 4096;  // below a database page nothing is saved
constexpr int kLevel = 3;

Result<std::string> decompress(std::string_view frame, std::size_t limit) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) {
    return fail(ErrorCode::data_loss, "stored bytes are not a zstd frame with its size");
  }
  if (size > limit) return fail(ErrorCode::resource_exhausted, "stored bytes unpack to too much");
  std::string bytes(size, '\0');
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != size) {
    return fail(ErrorCode::data_loss,
                std::string("stored bytes do not unpack: ") + ZSTD_getErrorName(got));
  }
  return bytes;
}

}  // namespace

std::string pack(std::string_view bytes) {
  if (bytes.size() >= kWorthIt) {
    std::string packed(1 + ZSTD_compressBound(bytes.size()), kZstd);
    const std::size_t size =
        ZSTD_compress(packed.data() + 1, packed.size() - 1, bytes.data(), bytes.size(), kLevel);
    if (ZSTD_isError(size) == 0 && size < bytes.size()) {
      packed.resize(1 + size);
      packed.shrink_to_fit();
      return packed;
    }
  }
  std::string packed;
  packed.reserve(1 + bytes.size());
  packed.push_back(kPlain);
  packed.append(bytes);
  return packed;
}

Result<std::string> unpack(std::string_view packed, std::size_t limit) {
  if (packed.empty()) return fail(ErrorCode::data_loss, "stored bytes are empty");
  const std::string_view content = packed.substr(1);
  if (packed.front() == kZstd) return decompress(content, limit);
  if (packed.front() != kPlain) return fail(ErrorCode::data_loss, "stored bytes have no format");
  if (content.size() > limit) return fail(ErrorCode::resource_exhausted, "stored bytes exceed it");
  return std::string(content);
}

}  // namespace assay::store
