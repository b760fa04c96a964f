#include "trace/profile_kind.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/foreign_file.hpp"
#include "trace/gzip.hpp"
#include "trace/ncu/reader.hpp"

namespace assay::trace {
namespace {

using namespace std::string_view_literals;

// Enough to pass what a program and ncu print before a CSV begins.
constexpr std::size_t kBeginning = std::size_t{1} << 20U;

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

/// `nsys stats` names its columns before the rows, parted by commas.
bool has_csv_header(std::string_view text) {
  const std::size_t at = text.find("Total Time");
  if (at == std::string_view::npos) return false;
  const std::size_t before = text.rfind('\n', at);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line = text.substr(start, text.find('\n', at) - start);
  return line.find(',') != std::string_view::npos;
}

}  // namespace

Result<ProfileKind> profile_kind(std::string_view beginning, const std::filesystem::path& name) {
  if (beginning.starts_with("SQLite format 3\0"sv)) return ProfileKind::nsys_sqlite;
  if (looks_like_ncu(beginning)) return ProfileKind::ncu;
  // Nsight Systems documents no magic number.
  if (name.extension() == ".nsys-rep" || name.extension() == ".qdrep") {
    return ProfileKind::nsys_report;
  }
  if (is_json(beginning)) return ProfileKind::kineto;
  if (name.extension() == ".qdstrm") {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} is a recording that nsys has not finished: make a report of it with "
                    "QdstrmImporter, which comes with nsys",
                    name.string()));
  }
  if (has_csv_header(beginning)) return ProfileKind::nsys_stats;
  if (const auto what = name_foreign(beginning)) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} is {}", name.string(), *what));
  }
  if (name.extension() == ".csv") return ProfileKind::nsys_stats;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is no profile: neither an SQLite export of Nsight Systems, nor a "
                          ".nsys-rep, nor a trace of the PyTorch profiler, nor a report or CSV of "
                          "Nsight Compute, nor a CSV of `nsys stats`",
                          name.string()));
}

Result<ProfileKind> profile_kind(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is a folder: give one of the profiles in it", path.string()));
  }
  if (std::filesystem::is_fifo(path, error)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is a pipe, and a profile is read more than once: save it to a file",
                            path.string()));
  }
  const bool empty =
      std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == 0;
  if (empty) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is empty: the profiler wrote nothing into it", path.string()));
  }
  ASSAY_TRY(const std::string beginning, read_beginning(path, kBeginning));
  if (beginning.empty()) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} holds nothing", path.string()));
  }
  return profile_kind(beginning, path.extension() == ".gz"
                                     ? std::filesystem::path(path).replace_extension()
                                     : path);
}

}  // namespace assay::trace
