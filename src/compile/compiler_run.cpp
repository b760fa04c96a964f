#include "compile/compiler_run.hpp"

#include <algorithm>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
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
std::vector<process::Bind> binds_of_program(const fs::path& program) {
  const fs::path usr = "/usr";
  const auto [rest, shared] = std::ranges::mismatch(usr, program);
  if (rest == usr.end()) return {};
  const fs::path prefix = program.parent_path().parent_path();
  return {{.host = prefix, .inside = prefix}};
}

}  // namespace

Result<process::CapturedRun> run_compiler(const CompilerCall& call,
                                          const process::JailSupport& jails,
                                          const Deadline& deadline, const std::stop_token& stop) {
  process::JailProfile jail{.name = "compiler",
                            .binds = binds_of_program(call.program),
                            .limits = call.limits,
                            .syscalls = process::SyscallPolicy::compiler};
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
  return process::run_captured(command, jails, deadline, stop, call.output_limit);
}

bool succeeded(const process::CapturedRun& run) {
  return run.status == process::ExitStatus(process::Exited{.code = 0});
}

std::string describe_end(const process::CapturedRun& run) {
  return run.status ? process::describe(*run.status) : "ran out of time";
}

}  // namespace assay::compile
