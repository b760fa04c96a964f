#include "profile/engines.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_of(std::string_view path) {
  std::vector<fs::path> out;
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    if (end != 0) out.emplace_back(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return out;
}

/// Where installers put it: /opt/nvidia/nsight-systems/2025.1.1/bin/nsys, the newest first.
std::optional<fs::path> installed(std::string_view product, std::string_view name) {
  std::optional<fs::path> newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path("/opt/nvidia") / product, error)) {
    for (const fs::path& candidate : {entry.path() / "bin" / name, entry.path() / name}) {
      if (access(candidate.c_str(), X_OK) == 0 && (!newest || *newest < candidate)) {
        newest = candidate;
      }
    }
  }
  return newest;
}

Engine find_engine(std::string name, std::string_view product, std::string_view path) {
  Engine engine{.name = std::move(name)};
  for (const fs::path& folder : folders_of(path)) {
    const fs::path candidate = folder / engine.name;
    std::error_code error;
    if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, error)) {
      engine.path = candidate;
      break;
    }
  }
  const fs::path usual = fs::path("/usr/local/cuda/bin") / engine.name;
  if (!engine.path && access(usual.c_str(), X_OK) == 0) engine.path = usual;
  if (!engine.path) engine.path = installed(product, engine.name);
  engine.told = engine.path ? engine.path->string()
                            : fmt::format(
                                  "not found on PATH, in /usr/local/cuda/bin or under "
                                  "/opt/nvidia/{}",
                                  product);
  return engine;
}

}  // namespace

std::vector<Engine> find_engines(std::string_view path) {
  Engine nsys = find_engine("nsys", "nsight-systems", path);
  std::error_code error;
  // Nsight Compute brings one along that records but has no importer to make a report of it.
  if (nsys.path &&
      fs::canonical(*nsys.path, error).string().find("nsight-compute") != std::string::npos) {
    nsys.broken = true;
    nsys.told += ", which comes with Nsight Compute and cannot make reports";
  }
  return {std::move(nsys), find_engine("ncu", "nsight-compute", path)};
}

Engine find_sanitizer(std::string_view path) {
  return find_engine("compute-sanitizer", "compute-sanitizer", path);
}

Result<void> check(const Gates& gates) {
  if (!gates.nvtx_range.empty() && gates.cuda_profiler) {
    return fail(
        ErrorCode::invalid_argument,
        "--nvtx-range and --cuda-profiler-api are two ways to say when to record: give one");
  }
  const bool ranks =
      std::ranges::all_of(gates.ranks, [](char c) { return (c >= '0' && c <= '9') || c == ','; });
  if (!ranks) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--ranks '{}': write their numbers, as in 0,3", gates.ranks));
  }
  if (gates.duration_s == 0) {
    return fail(ErrorCode::invalid_argument, "--duration 0 records nothing: give more seconds");
  }
  for (const auto& [name, seconds] :
       {std::pair{"--delay", gates.delay_s}, std::pair{"--duration", gates.duration_s}}) {
    if (seconds && !(*seconds >= 0 && *seconds < 1e6)) {
      return fail(ErrorCode::invalid_argument, fmt::format("{} takes seconds, 0 or more", name));
    }
  }
  return {};
}

std::string nsys_range(std::string_view range) {
  const auto unescaped = [&](std::size_t at) {
    return range[at] == '@' && (at == 0 || range[at - 1] != '\\');
  };
  std::size_t last = range.size();
  for (std::size_t at = 0; at < range.size(); ++at) {
    if (unescaped(at)) last = at;
  }
  std::string out;
  for (std::size_t at = 0; at < range.size(); ++at) {
    if (unescaped(at) && at != last) out += '\\';
    out += range[at];
  }
  return out;
}

std::string plain_range(std::string_view range) {
  std::string out;
  for (std::size_t at = 0; at < range.size(); ++at) {
    if (!range.substr(at).starts_with("\\@")) out += range[at];
  }
  return out;
}

std::vector<std::string> nsys_command(const fs::path& nsys, const Gates& gates,
                                      const fs::path& output,
                                      const std::vector<std::string>& program) {
  // A graph is one piece of work to nsys otherwise, and what it launched is lost.
  std::vector<std::string> argv = {
      nsys.string(),   "profile",         "--trace=cuda,nvtx,osrt", "--cuda-graph-trace=node",
      "--sample=none", "--cpuctxsw=none", "--force-overwrite=true", "--output",
      output.string()};
  if (!gates.nvtx_range.empty()) {
    // Ranges of Python are not registered strings, which is all that nsys would wait for.
    argv.insert(argv.end(),
                {"--capture-range=nvtx", "--nvtx-capture=" + nsys_range(gates.nvtx_range),
                 "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0"});
  }
  if (gates.cuda_profiler) argv.emplace_back("--capture-range=cudaProfilerApi");
  if (gates.delay_s) argv.push_back(fmt::format("--delay={}", *gates.delay_s));
  if (gates.duration_s) {
    argv.push_back(fmt::format("--duration={}", *gates.duration_s));
    argv.emplace_back("--kill=none");  // the program goes on when recording has ended
  }
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

}  // namespace assay::profile
