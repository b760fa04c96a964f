#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/embedded_files.hpp"
#include "process/jail_support.hpp"
#include "python/interpreter.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct SetupOptions {
  fs::path directory;
  std::string python = "python3";
  std::vector<std::string> extra;  // packages beside those of ours
  bool force = false;
};

/// Where `serve` looks first, and `tools/bootstrap python` works.
fs::path default_environment() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fs::path(cache) / "assay/python";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".cache/assay/python";
}

/// Runs a program of the host with our own input and output: its progress is the user's to see.
Result<void> run_visibly(const std::vector<std::string>& words, std::string_view hint) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ);
  if (failure != 0) {
    return fail(ErrorCode::unavailable, fmt::format("{} cannot be started: {}", words[0], hint));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return fail(ErrorCode::unavailable, fmt::format("`{}` failed: {}", fmt::join(words, " "), hint));
}

/// The packages asked for, one a line, as the stamp beside the environment keeps them.
std::string wanted(const SetupOptions& options) {
  std::string text(python_requirements().front().content);
  for (const std::string& package : options.extra) text += package + "\n";
  return text;
}

std::size_t count_packages(std::string_view requirements) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < requirements.size();) {
    const std::size_t end = std::min(requirements.find('\n', at), requirements.size());
    if (end > at && requirements[at] != '#') ++count;
    at = end + 1;
  }
  return count;
}

/// How many bytes are free where the environment shall lie; pip says it only after minutes.
Result<void> check_space(const fs::path& directory) {
  constexpr std::uintmax_t kNeeded = std::uintmax_t{12} << 30U;
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure) {
    return fail(ErrorCode::unavailable,
                fmt::format("{} cannot be made: {}", directory.string(), failure.message()));
  }
  const auto space = fs::space(directory, failure);
  if (failure || space.available >= kNeeded) return {};
  return fail(ErrorCode::resource_exhausted,
              fmt::format("{} has {} GiB free, and torch with its CUDA libraries needs 12: choose "
                          "another place with --directory",
                          directory.string(), space.available >> 30U));
}

Result<python::Interpreter> prepare(const SetupOptions& options) {
  const SystemClock clock;
  const process::JailSupport jails = process::probe_jail_support();
  const fs::path program = options.directory / "bin/python";
  const fs::path stamp = options.directory / ".requirements";
  const std::string requirements = wanted(options);
  if (!options.force && read_file(stamp).value_or("") == requirements) {
    fmt::print("{} is ready; nothing to do\n", options.directory.string());
    return python::inspect(program, jails, clock);
  }
  if (auto fits = check_space(options.directory); !fits) return std::unexpected(fits.error());
  const auto say = [](int step, const std::string& what) { fmt::print("[{}/4] {}\n", step, what); };
  say(1, "making an environment in " + options.directory.string());
  auto done = run_visibly({options.python, "-m", "venv", options.directory.string()},
                          "install Python 3.10 or later with its venv module (Debian and Ubuntu: "
                          "apt-get install python3 python3-venv), or name one with --python");
  if (!done) return std::unexpected(std::move(done).error());
  say(2, fmt::format("installing {} packages and what they need: several GB, some minutes",
                     count_packages(requirements)));
  const fs::path list = options.directory / "requirements.txt";
  if (auto written = write_file_atomically(list, requirements); !written) {
    return std::unexpected(std::move(written).error());
  }
  std::vector<std::string> pip = {
      program.string(), "-m", "pip", "install", "--disable-pip-version-check", "-r", list.string()};
  done =
      run_visibly(pip, "the lines above say why; run the command again to go on where it stopped");
  if (!done) return std::unexpected(std::move(done).error());
  say(3, "asking it what it can run");
  ASSAY_TRY(python::Interpreter made, python::inspect(program, jails, clock));
  if (auto written = write_file_atomically(stamp, requirements); !written) {
    return std::unexpected(std::move(written).error());
  }
  say(4, "done");
  return made;
}

int setup_python(const SetupOptions& options) {
  const auto made = prepare(options);
  if (!made) return report(made.error());
  fmt::print("{} at {}\n", made->describe(), made->program.string());
  if (options.directory != default_environment()) {
    fmt::print("Name it to the server: assay serve --python {}\n", made->program.string());
  }
  return kSuccess;
}

}  // namespace

void add_setup(CLI::App& app) {
  auto* command = app.add_subcommand("setup", "Prepare what a machine lacks");
  command->require_subcommand(1);
  command->footer("Example:\n  assay setup python");
  auto* python = command->add_subcommand(
      "python", "Make the environment that Python kernels run in: torch, triton, numpy and cupy");
  auto options = std::make_shared<SetupOptions>();  // shared with the callback
  options->directory = default_environment();
  python->add_option("--directory,-d", options->directory, "Where to make it")
      ->capture_default_str();
  python->add_option("--python", options->python, "The Python it is made from")
      ->capture_default_str();
  python
      ->add_option("--with", options->extra,
                   "More packages that kernels import, separated by commas: einops,scipy")
      ->delimiter(',');
  python->add_flag("--force", options->force, "Install again what is there");
  python->footer("Example:\n  assay setup python");
  python->callback([options] { throw CLI::RuntimeError(setup_python(*options)); });
}

}  // namespace assay::cli
