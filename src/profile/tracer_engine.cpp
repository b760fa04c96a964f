#include "profile/tracer_engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/embedded_file.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "profile/engines.hpp"

namespace assay::profile {

[[nodiscard]] std::span<const EmbeddedFile> embedded_tracer();

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProblem = "problem: ";

std::int64_t milliseconds(double seconds) {
  return std::llround(seconds * 1000);
}

}  // namespace

Result<fs::path> unpack_tracer(const fs::path& folder) {
  const EmbeddedFile& file = embedded_tracer().front();
  Hasher hasher;
  hasher.field(file.content);
  const fs::path place = folder / ("tracer-" + hasher.finish().hex().substr(0, 16));
  fs::path path = place / file.path;
  std::error_code error;
  if (fs::file_size(path, error) == file.content.size() && !error) return path;
  fs::create_directories(place, error);
  if (error) {
    return fail(ErrorCode::unavailable,
                fmt::format("make {}: {}", place.string(), error.message()));
  }
  if (auto written = write_file_atomically(path, file.content); !written) {
    return std::unexpected(std::move(written).error());
  }
  return path;
}

std::vector<std::string> tracer_environment(const fs::path& library, const fs::path& output,
                                            std::int64_t epoch, const Gates& gates) {
  std::vector<std::string> out = {
      "CUDA_INJECTION64_PATH=" + library.string(), "NVTX_INJECTION64_PATH=" + library.string(),
      "ASSAY_TRACER_FOLDER=" + output.string(), fmt::format("ASSAY_TRACER_EPOCH_NS={}", epoch)};
  if (!gates.nvtx_range.empty()) out.push_back("ASSAY_TRACER_RANGE=" + gates.nvtx_range);
  if (!gates.ranks.empty()) out.push_back("ASSAY_TRACER_RANKS=" + gates.ranks);
  if (gates.cuda_profiler) out.emplace_back("ASSAY_TRACER_PROFILER_API=1");
  if (gates.delay_s) {
    out.push_back(fmt::format("ASSAY_TRACER_DELAY_MS={}", milliseconds(*gates.delay_s)));
  }
  if (gates.duration_s) {
    out.push_back(fmt::format("ASSAY_TRACER_DURATION_MS={}", milliseconds(*gates.duration_s)));
  }
  return out;
}

TracerOutput tracer_output(const fs::path& output) {
  TracerOutput out;
  std::error_code error;
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(output, error)) {
    if (entry.path().extension() == ".sqlite") out.timelines.push_back(entry.path());
    if (entry.path().extension() == ".log") logs.push_back(entry.path());
  }
  std::ranges::sort(out.timelines);
  std::ranges::sort(logs);
  for (const fs::path& path : logs) {
    const std::string text = read_file(path).value_or("");
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!line.starts_with(kProblem)) continue;
      std::string problem(line.substr(kProblem.size()));
      if (std::ranges::find(out.problems, problem) == out.problems.end()) {
        out.problems.push_back(std::move(problem));
      }
    }
  }
  return out;
}

}  // namespace assay::profile
