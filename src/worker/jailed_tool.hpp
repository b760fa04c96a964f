#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "eval/profiled_call.hpp"
#include "eval/runner.hpp"
#include "model/runner_protocol.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "worker/python_command.hpp"
#include "worker/runner_process.hpp"

namespace assay::worker {

/// What lanes need in order to put one of NVIDIA's tools around a runner. All must outlive it.
struct ToolHost {
  const RunnerOptions& runners;
  const std::optional<PythonOptions>& python;
  const process::JailSupport& support;
  const Clock& clock;
  const Log& log;
};

/// How a tool around a runner ended, as far as the worker saw it.
struct ToolEnd {
  std::optional<int> exit_code;  // none: it was killed
  bool timed_out = false;
  std::string setback;  // why the call was not made; empty where it was
  std::string printed;  // by the tool and the runner
};

/// Makes the call in a fresh runner under the tool, and waits for both to end.
[[nodiscard]] ToolEnd call_under(const Profiler& tool, const ToolHost& host,
                                 const eval::ProfiledCall& call, eval::RunnerSource& runners,
                                 const eval::Bounds& bounds);

/// What the runner counted of the call, with the library in its jail; its claim. Fails where it did
/// not count, and says why.
[[nodiscard]] Result<Counted> count_with(const Profiler& library, const CountCommand& command,
                                         const ToolHost& host, const eval::ProfiledCall& call,
                                         eval::RunnerSource& runners, const eval::Bounds& bounds);

/// A new folder below `parent` that jailed programs may write to; gone with the object.
[[nodiscard]] Result<TempDir> folder_for_jail(const std::filesystem::path& parent);

/// What a jailed program left. The program could write into its folder. So a link or a pipe there
/// is refused.
[[nodiscard]] Result<std::string> read_from_jail(const std::filesystem::path& path,
                                                 std::size_t limit);

/// The library and what lies beside it, unless the jail shows it anyway.
[[nodiscard]] std::vector<process::Bind> library_binds(const std::filesystem::path& library);

/// The folder, and the tool's installation unless the jail shows it anyway.
[[nodiscard]] std::vector<process::Bind> tool_binds(const std::filesystem::path& program,
                                                    const std::filesystem::path& folder);

}  // namespace assay::worker
