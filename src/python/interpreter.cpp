#include "python/interpreter.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "process/exit_status.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"

namespace assay::python {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{20};
constexpr std::size_t kOutputLimit = std::size_t{64} * 1024;

// Package versions come from their metadata: importing torch to ask takes seconds.
constexpr std::string_view kQuestion = R"(
import importlib.metadata as metadata, importlib.util, os, sys, sysconfig
def say(key, value): print(key + "=" + value)
say("version", ".".join(map(str, sys.version_info[:3])))
for name in ("torch", "triton", "numpy"):
    try: say(name, metadata.version(name))
    except metadata.PackageNotFoundError: pass
found = importlib.util.find_spec("torch")
if found and found.origin: say("torch_directory", os.path.dirname(os.path.realpath(found.origin)))
say("headers", sysconfig.get_paths()["include"])
for path in [sys.prefix, sys.base_prefix, os.path.dirname(os.path.realpath(sys.executable)), *sys.path]:
    if os.path.isdir(path): say("root", os.path.realpath(path))
say("root", os.path.abspath(sys.prefix))
)";

bool is_within(const fs::path& path, const fs::path& root) {
  const fs::path relative = path.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

/// Every jail has /usr; of nested directories the outermost is enough.
std::vector<fs::path> outermost(std::vector<fs::path> roots) {
  std::ranges::sort(roots);
  std::vector<fs::path> kept;
  for (const fs::path& root : roots) {
    const bool covered =
        is_within(root, "/usr") ||
        std::ranges::any_of(kept, [&](const fs::path& outer) { return is_within(root, outer); });
    if (!covered) kept.push_back(root);
  }
  return kept;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<fs::path> directory_from(const char* variable, std::string_view below) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value) / below;
}

std::vector<fs::path> usual_places() {
  std::vector<fs::path> places;
  constexpr std::string_view kOurs = "assay/python/bin/python";  // tools/bootstrap makes it
  if (auto cache = directory_from("XDG_CACHE_HOME", kOurs)) {
    places.push_back(*cache);
  } else if (auto home = directory_from("HOME", fmt::format(".cache/{}", kOurs))) {
    places.push_back(*home);
  }
  const char* path = std::getenv("PATH");
  for (const auto part : std::views::split(std::string_view(path == nullptr ? "" : path), ':')) {
    const std::string_view directory(part.begin(), part.end());
    if (!directory.empty()) places.push_back(fs::path(directory) / "python3");
  }
  return places;
}

}  // namespace

std::string Interpreter::describe() const {
  std::string text = "Python " + version;
  if (!torch.empty()) text += ", torch " + torch;
  if (!triton.empty()) text += ", triton " + triton;
  return text;
}

Result<Interpreter> read_description(const fs::path& program, std::string_view text) {
  Interpreter found{.program = program};
  std::vector<fs::path> roots;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, equals);
    const std::string value(line.substr(equals + 1));
    if (key == "version") found.version = value;
    if (key == "torch") found.torch = value;
    if (key == "triton") found.triton = value;
    if (key == "numpy") found.numpy = value;
    if (key == "torch_directory") found.torch_directory = value;
    if (key == "headers") found.headers = value;
    if (key == "root") roots.emplace_back(value);
  }
  if (found.version.empty()) {
    return fail(ErrorCode::not_found, program.string() + " is no Python 3.8 or later");
  }
  found.roots = outermost(std::move(roots));
  return found;
}

Result<Interpreter> inspect(const fs::path& program, const process::JailSupport& jails,
                            const Clock& clock) {
  if (!is_program(program)) {
    return fail(ErrorCode::not_found, "no Python at " + program.string());
  }
  const process::Command command{.argv = {program.string(), "-I", "-c", std::string(kQuestion)},
                                 .environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
                                 .working_directory = "/"};
  ASSAY_TRY(const process::CapturedRun run,
            process::run_captured(command, jails, Deadline(clock, kPatience), {}, kOutputLimit));
  const auto* exited = run.status ? std::get_if<process::Exited>(&*run.status) : nullptr;
  if (exited == nullptr || exited->code != 0) {
    return fail(ErrorCode::not_found,
                fmt::format("{} did not answer: {}", program.string(),
                            run.status ? process::describe(*run.status) : "it ran out of time"));
  }
  return read_description(program, run.output);
}

Result<Interpreter> find_interpreter(const std::optional<fs::path>& configured,
                                     const process::JailSupport& jails, const Clock& clock) {
  if (configured) return inspect(*configured, jails, clock);
  std::optional<Interpreter> plain;
  for (const fs::path& place : usual_places()) {
    auto found = inspect(place, jails, clock);
    if (!found) continue;
    if (!found->torch.empty()) return found;
    if (!plain) plain = std::move(*found);
  }
  if (plain) return *std::move(plain);
  return fail(ErrorCode::not_found, "no Python found: install python3, or name one with --python");
}

}  // namespace assay::python
