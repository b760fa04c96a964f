#include "trace/ncu/reader.hpp"

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/gzip.hpp"
#include "trace/ncu/csv_pages.hpp"
#include "trace/ncu/rep_container.hpp"
#include "trace/ncu/rep_reader.hpp"
#include "trace/ncu/report.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
constexpr std::string_view kCsvHeader = "\"ID\",\"Process ID\",";

}  // namespace

bool looks_like_ncu(std::string_view start) {
  return looks_like_rep(start) || start.find(kCsvHeader) != std::string_view::npos;
}

Result<NcuReport> parse_ncu(std::string_view bytes) {
  if (looks_like_rep(bytes)) return parse_ncu_rep(bytes);
  if (bytes.starts_with(kZstdMagic)) {
    return fail(ErrorCode::invalid_argument,
                "the report is compressed (.ncu-repz): decompress it with `zstd -d` first");
  }
  return parse_ncu_csv(bytes);
}

Result<NcuReport> read_ncu(const std::filesystem::path& path) {
  ASSAY_TRY(const std::string bytes, read_unpacked(path));
  auto report = parse_ncu(bytes);
  if (!report) {
    return std::unexpected(
        std::move(report).error().while_doing(fmt::format("read {}", path.string())));
  }
  return report;
}

}  // namespace assay::trace
