#include "trace/gzip.hpp"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <zlib.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

struct GzCloser {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

/// At most `limit` bytes. zlib reads a file that is not packed as it is.
Result<std::string> read_up_to(const std::filesystem::path& path, std::size_t limit) {
  const std::unique_ptr<gzFile_s, GzCloser> file(gzopen(path.c_str(), "rb"));
  if (!file) return fail(ErrorCode::not_found, fmt::format("open {}: no such file", path.string()));
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  gzbuffer(file.get(), kPiece);
  std::string out;
  while (out.size() < limit) {
    const std::size_t wanted = std::min(kPiece, limit - out.size());
    const std::size_t before = out.size();
    out.resize(before + wanted);
    const int count = gzread(file.get(), out.data() + before, static_cast<unsigned>(wanted));
    out.resize(before + static_cast<std::size_t>(std::max(count, 0)));
    int code = Z_OK;
    const char* message = gzerror(file.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END) {
      return fail(ErrorCode::data_loss, fmt::format("{}: {}", path.string(), message));
    }
    if (count <= 0) break;
  }
  return out;
}

}  // namespace

bool is_gzip(std::string_view beginning) {
  return beginning.starts_with("\x1f\x8b");
}

Result<std::string> read_unpacked(const std::filesystem::path& path, std::size_t limit) {
  ASSAY_TRY(std::string bytes, read_up_to(path, limit + 1));
  if (bytes.size() > limit) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} unpacks to more than {} bytes: unpack it with `gzip -d` first",
                            path.string(), limit));
  }
  return without_byte_order_mark(std::move(bytes));
}

Result<std::string> read_beginning(const std::filesystem::path& path, std::size_t size) {
  ASSAY_TRY(std::string bytes, read_up_to(path, size));
  return without_byte_order_mark(std::move(bytes));
}

}  // namespace assay::trace
