#include "simt/testing/local_builder.hpp"

#include <array>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/testkit/checkout.hpp"
#include "base/unique_fd.hpp"
#include "simt/diagnostics.hpp"
#include "simt/toolchain.hpp"
#include "simt/translate.hpp"

namespace assay::simt::testing {
namespace {

namespace fs = std::filesystem;

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(fd, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

Result<std::string> compiler_version(const std::string& compiler) {
  ASSAY_TRY(const auto run, run_command({compiler, "--version"}, "."));
  if (run.exit_code != 0) return fail(ErrorCode::unavailable, compiler + " does not run");
  return run.output;
}

Result<void> set_up(const Toolchain& toolchain) {
  if (auto written = write_files(toolchain); !written) return written;
  for (const Command& command : setup_commands(toolchain)) {
    ASSAY_TRY(const auto run, run_command(command, toolchain.directory));
    if (run.exit_code != 0) {
      return fail(ErrorCode::internal, "building the simt runtime failed:\n" + run.output);
    }
  }
  return {};
}

}  // namespace

Result<CommandResult> run_command(const Command& command, const fs::path& directory) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(errno_error("pipe2"));
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), 2);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return fail(ErrorCode::unavailable,
                fmt::format("start {}: {}", command[0], std::generic_category().message(error)));
  }
  writing = UniqueFd();
  CommandResult result;
  result.output = read_to_end(reading.get());
  int status = 0;
  waitpid(pid, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Result<Toolchain> shared_toolchain_place() {
  Toolchain toolchain;
  ASSAY_TRY(const std::string version, compiler_version(toolchain.compiler));
  toolchain.directory = testkit::kept_toolchains() / "simt" / fingerprint(version).substr(0, 16);
  return toolchain;
}

Result<Toolchain> shared_toolchain() {
  ASSAY_TRY(Toolchain toolchain, shared_toolchain_place());
  const fs::path& final = toolchain.directory;
  const fs::path cache = final.parent_path();
  if (fs::exists(final / "ready")) return toolchain;

  std::error_code error;
  fs::create_directories(cache, error);
  // Two processes may get here at once: the lock makes the second wait for the first.
  const UniqueFd lock(open((cache / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644));
  if (!lock || lockf(lock.get(), F_LOCK, 0) != 0)
    return std::unexpected(errno_error("lock the simt cache"));
  if (fs::exists(final / "ready")) return toolchain;
  if (auto done = set_up(toolchain); !done) return std::unexpected(std::move(done).error());
  if (auto done = write_file_atomically(final / "ready", ""); !done) {
    return std::unexpected(std::move(done).error());
  }
  return toolchain;
}

Result<BuildResult> build(const Toolchain& toolchain, std::string_view source,
                          const TranslateOptions& options, Variant variant,
                          const fs::path& directory, const std::vector<std::string>& flags) {
  ASSAY_TRY(const Translation translation, translate(source, options));
  const fs::path text = directory / "translated.cpp";
  const bool reports = !options.module && variant == Variant::instrumented;
  const std::string report = reports ? "#include <assay/simt/report_at_exit.hpp>\n"
                                       "static const assay::simt::ReportAtExit assay_report(15);\n"
                                     : "";
  if (auto written = write_file_atomically(text, report + translation.source); !written) {
    return std::unexpected(std::move(written).error());
  }
  BuildResult result;
  result.file = directory / (options.module ? "module.so" : "program");
  const Command command = options.module
                              ? module_command(toolchain, variant, text, result.file, flags)
                              : program_command(toolchain, variant, text, result.file, flags);
  ASSAY_TRY(const CommandResult run, run_command(command, directory));
  result.compiled = run.exit_code == 0;
  result.raw_log = run.output;
  const std::array sources = {NamedSource{.name = options.file_name, .text = source}};
  result.log = readable_log(run.output, sources);
  return result;
}

}  // namespace assay::simt::testing
