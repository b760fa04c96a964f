#include "worker/python_zygote.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/python_zygote.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"
#include "wire/zygote_messages.hpp"
#include "worker/forked_process.hpp"
#include "worker/python_command.hpp"
#include "worker/python_process.hpp"
#include "worker/runner_output.hpp"

namespace assay::worker {
namespace {

constexpr int kRequestsDescriptor = 3;
// Some 3 s of processor time; but minutes from a cold disk or on a machine with ten times more to
// do than it has cores. Whoever waits gives up sooner.
constexpr std::chrono::minutes kTimeToImport{5};
constexpr std::chrono::seconds kTimeToFork{20};  // some 60 ms, on a machine that is not in trouble

/// It lives as long as the worker, and everything it allows its children must be allowed to it.
process::Limits zygote_limits(const process::Limits& runner) {
  process::Limits limits = runner;
  constexpr std::uint64_t kForImports = std::uint64_t{4} << 30U;
  constexpr std::uint32_t kForChildren = 4096;
  limits.memory_bytes += kForImports;
  limits.processes += kForChildren;
  limits.cpu_time = std::chrono::hours(24 * 365);
  return limits;
}

bool on_gpu(const PythonOptions& options) {
  return options.device.kind == DeviceKind::cuda;
}

process::Command command_for(const PythonOptions& options, const process::JailSupport& support,
                             std::string_view code) {
  process::Command command = python_command(options, support, code);
  command.jail->limits = zygote_limits(options.limits);
  command.jail->syscalls =
      on_gpu(options) ? process::SyscallPolicy::gpu_zygote : process::SyscallPolicy::zygote;
  return command;
}

ForkRequest request_for(const PythonOptions& options, const process::JailSupport& support) {
  const process::Limits& limits = options.limits;
  return {.device = options.device.kind,
          .limits = {.memory_bytes = limits.memory_bytes,
                     .processes = limits.processes,
                     .tmp_bytes = limits.tmp_bytes,
                     .file_bytes = limits.file_bytes,
                     .open_files = limits.open_files,
                     .cpu_seconds = limits.cpu_time.count()},
          .filter = support.filter(on_gpu(options) ? process::SyscallPolicy::gpu_runner
                                                   : process::SyscallPolicy::python),
          .environment = {{"TMPDIR", "/tmp"}}};
}

}  // namespace

Result<std::unique_ptr<PythonZygote>> PythonZygote::start(const PythonOptions& options,
                                                          const process::JailSupport& support,
                                                          const std::stop_token& stop) {
  ASSAY_TRY(auto ends, process::FrameChannel::pair());
  ASSAY_TRY(const RunnerOutput output, RunnerOutput::create());
  auto command = command_for(options, support, "from assay_runner.zygote import main; main()");
  command.descriptors = {
      {output.fd(), 1}, {output.fd(), 2}, {ends.second.get(), kRequestsDescriptor}};
  ASSAY_TRY(auto process, process::Subprocess::spawn(command, support));
  ends.second.reset();  // or its end would not close the channel
  const SystemClock clock;
  const auto text = ends.first.receive(Deadline(clock, kTimeToImport), stop);
  if (!text) {
    if (text.error().code() == ErrorCode::cancelled) return std::unexpected(text.error());
    const auto status = process.wait({}, Deadline(clock, std::chrono::seconds(1)));
    return fail(
        ErrorCode::unavailable,
        fmt::format("{} {}: {}", options.interpreter.program.string(),
                    status ? process::describe(*status) : text.error().message(), output.tail()));
  }
  ASSAY_TRY(ZygoteHello hello, wire::decode_zygote_hello(*text));
  std::unique_ptr<PythonZygote> zygote(
      new PythonZygote(options, support, std::move(process), std::move(ends.first)));
  zygote->hello_ = std::move(hello);
  if (!options.require_jail) return zygote;
  for (const std::string& part : zygote->missing()) {
    if (std::ranges::find(options.given_up, part) != options.given_up.end()) continue;
    return fail(ErrorCode::unavailable,
                fmt::format("--require-jail: this system does not allow {}", part));
  }
  return zygote;
}

Result<process::PartNames> probe_inner_jail(const PythonOptions& options,
                                            const process::JailSupport& support,
                                            const Clock& clock) {
  constexpr std::string_view kCode =
      "from assay_runner.confinement import PARTS, probe\n"
      "print('missing:', *sorted(PARTS - probe()))";
  constexpr std::chrono::seconds kTimeToProbe{30};
  constexpr std::size_t kMostOutput = 4096;
  ASSAY_TRY(const process::CapturedRun run,
            process::run_captured(command_for(options, support, kCode), support,
                                  Deadline(clock, kTimeToProbe), {}, kMostOutput));
  std::istringstream words(run.output);
  std::string word;
  words >> word;
  if (word != "missing:") {
    return fail(ErrorCode::unavailable,
                fmt::format("{} cannot say what it may build a jail from: {}",
                            options.interpreter.program.string(), run.output));
  }
  process::PartNames missing;
  while (words >> word) missing.push_back(inner_part(word));
  return missing;
}

std::string inner_part(std::string_view name) {
  return fmt::format("python.{}", name);
}

process::PartNames PythonZygote::missing() const {
  process::PartNames names;
  for (const std::string& part : hello_.missing) names.push_back(inner_part(part));
  return names;
}

bool PythonZygote::alive() {
  const MutexLock lock(mutex_);
  return !process_.poll().has_value();
}

Result<std::unique_ptr<PythonProcess>> PythonZygote::fork(const std::stop_token& stop) {
  ASSAY_TRY(auto channel, process::FrameChannel::pair());
  ASSAY_TRY(auto control, process::FrameChannel::pair());
  ASSAY_TRY(RunnerOutput output, RunnerOutput::create());
  const SystemClock clock;
  const Deadline deadline(clock, kTimeToFork);
  {
    const std::array descriptors{channel.second.get(), control.second.get(), output.fd()};
    const MutexLock lock(mutex_);
    auto sent = requests_.send(wire::encode_fork_request(request_for(options_, support_)),
                               descriptors, deadline, stop);
    if (!sent) return std::unexpected(std::move(sent).error().while_doing("ask for a runner"));
  }
  // Or a runner's end would not close them.
  channel.second.reset();
  control.second.reset();
  ASSAY_TRY(auto process, ForkedProcess::start(std::move(control.first), support_, options_.limits,
                                               {deadline, stop}));
  return std::make_unique<PythonProcess>(std::move(process), std::move(channel.first),
                                         std::move(output));
}

}  // namespace assay::worker
