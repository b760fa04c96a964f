#include "worker/jailed_tool.hpp"

#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "eval/profiled_call.hpp"
#include "eval/runner.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "process/exit_status.hpp"
#include "process/jail_profile.hpp"
#include "worker/profiled_runners.hpp"
#include "worker/runner_process.hpp"

namespace assay::worker {
namespace {

std::string describe(const eval::Setback& setback) {
  if (const auto* error = std::get_if<Error>(&setback)) return error->message();
  if (const auto* fate = std::get_if<eval::Fate>(&setback)) return reason_of(fate->verdict);
  return "it asked for an extension that is not built";
}

bool is_late(const eval::Setback& setback) {
  if (const auto* error = std::get_if<Error>(&setback)) {
    return error->code() == ErrorCode::deadline_exceeded;
  }
  const auto* fate = std::get_if<eval::Fate>(&setback);
  return fate != nullptr && std::holds_alternative<TimedOut>(fate->verdict);
}

}  // namespace

ToolEnd call_under(const Profiler& tool, const ToolHost& host, const eval::ProfiledCall& call,
                   eval::RunnerSource& runners, const eval::Bounds& bounds) {
  ToolEnd end;
  ProfiledRunners profiled(host.runners, host.python, host.support, tool, runners);
  const auto called = eval::make_profiled_call(call, runners, profiled, bounds);
  if (!called) {
    end.setback = describe(called.error());
    end.timed_out = is_late(called.error()) || bounds.deadline.expired();
  }
  if (auto process = profiled.take_ending()) {
    const auto status = process->wait(bounds.stop, bounds.deadline);
    if (!status) end.timed_out = true;
    if (const auto* exited = status ? std::get_if<process::Exited>(&*status) : nullptr) {
      end.exit_code = exited->code;
    }
  }
  end.printed = profiled.printed();
  return end;
}

Result<Counted> count_with(const Profiler& library, const CountCommand& command,
                           const ToolHost& host, const eval::ProfiledCall& call,
                           eval::RunnerSource& runners, const eval::Bounds& bounds) {
  ProfiledRunners counting(host.runners, host.python, host.support, library, runners);
  auto counted = eval::make_counted_call(call, command, runners, counting, bounds);
  if (!counted) return fail(ErrorCode::unavailable, describe(counted.error()));
  if (!counted->missing.empty()) return fail(ErrorCode::unavailable, counted->missing);
  return *std::move(counted);
}

Result<TempDir> folder_for_jail(const std::filesystem::path& parent) {
  std::error_code ignored;
  std::filesystem::create_directories(parent, ignored);
  ASSAY_TRY(TempDir folder, TempDir::create(parent, "report-"));
  if (auto given = process::give_to_jail(folder.path()); !given) {
    return std::unexpected(given.error());
  }
  return folder;
}

Result<std::string> read_from_jail(const std::filesystem::path& path, std::size_t limit) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return std::unexpected(errno_error("open " + path.filename().string()));
  struct stat info{};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid_argument, path.filename().string() + " is no file");
  }
  return read_file(fmt::format("/proc/self/fd/{}", file.get()), limit);
}

std::vector<process::Bind> library_binds(const std::filesystem::path& library) {
  const auto folder = library.parent_path();
  if (folder.empty() || library.string().starts_with("/usr/")) return {};
  return {{.host = folder, .inside = folder}};
}

std::vector<process::Bind> tool_binds(const std::filesystem::path& program,
                                      const std::filesystem::path& folder) {
  std::vector<process::Bind> binds{
      {.host = "/opt/nvidia", .inside = "/opt/nvidia", .optional = true},
      {.host = folder, .inside = folder, .writable = true}};
  if (!program.string().starts_with("/usr/") && !program.string().starts_with("/opt/nvidia/")) {
    binds.push_back({.host = program.parent_path(), .inside = program.parent_path()});
    // A toolkit's bin holds scripts that start what lies beside it.
    const auto beside = program.parent_path().parent_path() / program.filename();
    binds.push_back({.host = beside, .inside = beside, .optional = true});
  }
  return binds;
}

}  // namespace assay::worker
