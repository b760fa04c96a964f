#include "trace/profile_kind.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
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

}  // namespace

Result<ProfileKind> profile_kind(std::string_view beginning, const std::filesystem::path& name) {
  if (beginning.starts_with("SQLite format 3\0"sv)) return ProfileKind::nsys_sqlite;
  if (looks_like_ncu(beginning)) return ProfileKind::ncu;
  if (beginning.starts_with("\x1f\x8b"sv)) return ProfileKind::kineto;
  // Nsight Systems documents no magic number.
  if (name.extension() == ".nsys-rep" || name.extension() == ".qdrep") {
    return ProfileKind::nsys_report;
  }
  if (is_json(beginning)) return ProfileKind::kineto;
  if (beginning.find("Total Time") != std::string_view::npos || name.extension() == ".csv") {
    return ProfileKind::nsys_stats;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is no profile: neither an SQLite export of Nsight Systems, nor a "
                          ".nsys-rep, nor a trace of the PyTorch profiler, nor a report or CSV of "
                          "Nsight Compute, nor a CSV of `nsys stats`",
                          name.string()));
}

Result<ProfileKind> profile_kind(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::not_found, fmt::format("open {}: no such file", path.string()));
  std::string beginning(kBeginning, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return profile_kind(beginning, path);
}

}  // namespace assay::trace
