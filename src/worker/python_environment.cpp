#include "worker/python_environment.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "process/exit_status.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"

namespace assay::worker {
namespace {

constexpr std::chrono::seconds kPatience{30};  // a cold disk
constexpr std::size_t kOutputLimit = std::size_t{64} << 10U;

constexpr const char* kQuestion = R"(
import importlib.metadata, os, sys
print("interpreter", sys.executable)
print("version", "%d.%d.%d" % sys.version_info[:3])
print("new" if sys.version_info >= (3, 10) else "old", "enough")
for name in ("torch", "triton", "numpy"):
    try:
        print("package", name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        pass
real = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
paths = {os.path.abspath(p) for p in (sys.prefix, sys.base_prefix, real, *sys.path) if p}
paths = {p for p in paths if os.path.exists(p)}
for path in sorted(paths):
    within = any(path.startswith(other + "/") for other in paths | {"/usr"})
    if path not in ("/", "/usr") and not within:
        print("path", path)
)";

/// Splits "word rest of the line".
std::pair<std::string_view, std::string_view> split(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return {line, {}};
  return {line.substr(0, space), line.substr(space + 1)};
}

void read_line(std::string_view line, PythonEnvironment& into) {
  const auto [word, rest] = split(line);
  if (word == "interpreter") into.interpreter = rest;
  if (word == "version") into.version = rest;
  if (word == "path") into.paths.emplace_back(rest);
  if (word == "package") {
    const auto [name, version] = split(rest);
    into.packages[std::string(name)] = version;
  }
}

}  // namespace

Result<PythonEnvironment> inspect_python(const std::filesystem::path& interpreter,
                                         const process::JailSupport& support) {
  const SystemClock clock;
  const process::Command command{.argv = {interpreter.string(), "-I", "-c", kQuestion},
                                 .environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"}};
  ASSAY_TRY(const process::CapturedRun run,
            process::run_captured(command, support, Deadline(clock, kPatience), {}, kOutputLimit));
  if (run.status != process::ExitStatus(process::Exited{0})) {
    return fail(ErrorCode::not_found,
                fmt::format("{} is no Python that works: {}", interpreter.string(), run.output));
  }
  PythonEnvironment environment;
  std::string_view rest = run.output;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    read_line(rest.substr(0, end), environment);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (run.output.find("\nold enough\n") != std::string::npos) {
    return fail(ErrorCode::unavailable,
                fmt::format("{} is Python {}; 3.10 is the oldest that works", interpreter.string(),
                            environment.version));
  }
  for (const char* needed : {"torch", "numpy"}) {
    if (environment.packages.contains(needed)) continue;
    return fail(ErrorCode::unavailable,
                fmt::format("{} has no {} installed", interpreter.string(), needed));
  }
  return environment;
}

}  // namespace assay::worker
