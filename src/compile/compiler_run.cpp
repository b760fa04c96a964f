#include "compile/compiler_run.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "process/exit_status.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

/// Where a compiler outside /usr keeps its parts: <prefix> of <prefix>/bin/g++.
std::vector<process::Bind> binds_of_program(const fs::path& program, bool standalone) {
  const fs::path usr = "/usr";
  const auto [rest, shared] = std::ranges::mismatch(usr, program);
  if (rest == usr.end()) return {};
  if (standalone) return {{.host = program, .inside = program}};
  const fs::path prefix = program.parent_path().parent_path();
  return {{.host = prefix, .inside = prefix}};
}

/// Compilers give way to the server and to kernels that are timed.
constexpr std::uint32_t kShare = 25;

/// Somebody killed the compiler or a program it runs: neither the source's fault nor ours to
/// judge by. The driver and the linker's outlive what they run. They say so behind their own name,
/// at the start of a line, where no source can write.
bool was_killed(const process::CapturedRun& run) {
  if (run.status == process::ExitStatus(process::Signalled{SIGKILL})) return true;
  if (!run.status || !std::holds_alternative<process::Exited>(*run.status)) return false;
  constexpr std::array<std::string_view, 2> kWords = {
      ": fatal error: Killed signal terminated program ",
      ": fatal error: ld terminated with signal 9 "};
  return std::ranges::any_of(kWords, [&](std::string_view words) {
    const std::size_t at = run.output.find(words);
    if (at == std::string::npos) return false;
    const std::size_t line = run.output.rfind('\n', at);
    const std::size_t start = line == std::string::npos ? 0 : line + 1;
    return run.output.find(':', start) == at;  // "g++: fatal", not "kernel.cu:1:2: fatal"
  });
}

}  // namespace

Result<process::CapturedRun> run_compiler(const CompilerCall& call,
                                          const process::JailSupport& jails,
                                          const Deadline& deadline, const std::stop_token& stop) {
  process::JailProfile jail{.name = "compiler",
                            .binds = binds_of_program(call.program, call.standalone),
                            .limits = call.limits,
                            .syscalls = call.nvidia ? process::SyscallPolicy::gpu_compiler
                                                    : process::SyscallPolicy::compiler,
                            .share = kShare};
  for (const fs::path& path : call.readable) {
    jail.binds.push_back({.host = path, .inside = path});
  }
  for (const fs::path& path : call.writable) {
    jail.binds.push_back({.host = path, .inside = path, .writable = true});
  }
  std::vector<std::string> argv = {call.program.string()};
  argv.insert(argv.end(), call.arguments.begin(), call.arguments.end());
  const process::Command command{
      .argv = std::move(argv),
      .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/tmp", "TMPDIR=/tmp"},
      .working_directory = call.working_directory,
      .jail = std::move(jail)};
  ASSAY_TRY(process::CapturedRun run,
            process::run_captured(command, jails, deadline, stop, call.output_limit));
  if (was_killed(run)) {
    return fail(ErrorCode::unavailable, call.program.string() + " was killed from outside");
  }
  return run;
}

Result<void> lay_out_build(const fs::path& sources, const fs::path& output) {
  std::error_code failure;
  fs::create_directories(sources, failure);
  if (!failure) fs::create_directories(output, failure);
  if (failure) return fail(ErrorCode::internal, "lay out a build: " + failure.message());
  return process::give_to_jail(output);
}

bool succeeded(const process::CapturedRun& run) {
  return run.status == process::ExitStatus(process::Exited{.code = 0});
}

std::string describe_end(const process::CapturedRun& run) {
  return run.status ? process::describe(*run.status) : "ran out of time";
}

}  // namespace assay::compile
