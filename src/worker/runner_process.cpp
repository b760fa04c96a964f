#include "worker/runner_process.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <expected>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "eval/runner.hpp"
#include "model/device_info.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/pause.hpp"
#include "process/subprocess.hpp"
#include "wire/runner_messages.hpp"
#include "worker/exchange.hpp"
#include "worker/gpu_jail.hpp"
#include "worker/runner_output.hpp"

namespace assay::worker {
namespace {

using eval::Attempt;
using eval::Bounds;
using eval::Fate;
using eval::Setback;

constexpr int kChannelDescriptor = 3;
constexpr const char* kInsidePath = "/assay/assay";
constexpr std::chrono::seconds kLongestStart{60};  // of a CUDA context; commonly 0.2

Attempt<std::vector<double>> times_of(Attempt<RunnerReply> reply) {
  if (!reply) return std::unexpected(std::move(reply).error());
  if (auto* times = std::get_if<Samples>(&*reply)) return std::move(times->ns);
  return tampered("the runner answered a request for times with something else");
}

}  // namespace

void put_before(const Profiler& profiler, process::Command& command) {
  command.argv.insert(command.argv.begin(), profiler.argv.begin(), profiler.argv.end());
  // Where it keeps its lock and what it unpacks.
  command.environment.insert(command.environment.end(), {"HOME=/tmp", "TMPDIR=/tmp"});
  command.environment.insert(command.environment.end(), profiler.environment.begin(),
                             profiler.environment.end());
  process::JailProfile& jail = *command.jail;
  jail.binds.insert(jail.binds.end(), profiler.binds.begin(), profiler.binds.end());
  jail.syscalls = process::SyscallPolicy::gpu_profiler;
  jail.kept = profiler.kept;
  // It saves the GPU's memory between passes, and holds libraries and tables of its own.
  constexpr std::uint64_t kMore = std::uint64_t{8} << 30U;
  jail.limits.memory_bytes += kMore;
  jail.limits.tmp_bytes = std::max(jail.limits.tmp_bytes, std::uint64_t{1} << 30U);
  jail.limits.file_bytes = std::max(jail.limits.file_bytes, std::uint64_t{1} << 30U);
  jail.limits.open_files = std::max(jail.limits.open_files, 1024U);
}

Result<std::unique_ptr<RunnerProcess>> RunnerProcess::spawn(const RunnerOptions& options,
                                                            const process::JailSupport& support,
                                                            const Profiler* profiler) {
  ASSAY_TRY(auto ends, process::FrameChannel::pair());
  ASSAY_TRY(RunnerOutput output, RunnerOutput::create());
  const bool has_root = support.has(process::JailPart::mount_namespace);
  const bool on_gpu = options.device.kind == DeviceKind::cuda;
  process::Command command{
      .argv = {has_root ? kInsidePath : options.executable, on_gpu ? "cuda-runner" : "runner"},
      .environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
      .descriptors = {{output.fd(), 1}, {output.fd(), 2}, {ends.second.get(), kChannelDescriptor}},
      .jail = process::JailProfile{.name = "runner",
                                   .binds = {{.host = options.executable, .inside = kInsidePath}},
                                   .limits = options.limits,
                                   .syscalls = process::SyscallPolicy::runner}};
  if (on_gpu) {
    std::ranges::copy(gpu_environment(options.device), std::back_inserter(command.environment));
    // Its kernels share one stream. A context with one queue instead of eight is made, and ends, in
    // less than half the time, and the driver makes one at a time.
    command.environment.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS=1");
    std::ranges::copy(gpu_binds(options.gpu_files), std::back_inserter(command.jail->binds));
    command.jail->syscalls = process::SyscallPolicy::gpu_runner;
  }
  if (profiler != nullptr) put_before(*profiler, command);
  ASSAY_TRY(auto process, process::Subprocess::spawn(command, support));
  ends.second.reset();  // so that we hear of its end
  std::unique_ptr<RunnerProcess> runner(new RunnerProcess(
      options.device.kind, std::move(process), std::move(ends.first), std::move(output)));
  if (!on_gpu) return runner;
  const SystemClock clock;
  const Deadline usual(clock, kLongestStart);
  const Deadline by = profiler != nullptr ? profiler->start_by.value_or(usual) : usual;
  if (auto ready = runner->await_context(by); !ready) return std::unexpected(ready.error());
  return runner;
}

RunnerProcess::~RunnerProcess() {
  if (!undertaker_) return;
  if (ends_by_itself_) {
    resume();  // one that stands still would never end
  } else {
    process_.kill();  // it runs no longer; what it held goes later
  }
  undertaker_(std::move(process_));
}

Result<void> RunnerProcess::await_context(const Deadline& deadline) {
  const auto text = channel_.receive(deadline);
  const auto reply = text ? wire::decode_reply(*text) : std::unexpected(text.error());
  if (reply && std::holds_alternative<Done>(*reply)) return {};
  return fail(ErrorCode::unavailable,
              fmt::format("no context on the GPU: {} {}", reply ? "" : reply.error().message(),
                          output_.tail()));
}

Attempt<void> RunnerProcess::load(const BuiltKernel& kernel, const Bounds& bounds) {
  if (device_ == DeviceKind::cuda) {
    auto module = sealed_copy(kernel.module);
    if (!module) return std::unexpected(std::move(module).error());
    return expect_done(call(LoadCommand{kernel.entry}, std::array{module->get()}, bounds));
  }
  auto support = sealed_copy(kernel.support_dir / "libassay_simt.so");
  if (!support) return std::unexpected(std::move(support).error());
  auto module = sealed_copy(kernel.module);
  if (!module) return std::unexpected(std::move(module).error());
  return expect_done(
      call(LoadCommand{kernel.entry}, std::array{support->get(), module->get()}, bounds));
}

Attempt<std::optional<KernelResources>> RunnerProcess::bind(const LaunchPlan& plan, int arena_fd,
                                                            std::size_t arena_size,
                                                            const Bounds& bounds) {
  auto reply = call(BindCommand{plan, arena_size}, std::array{arena_fd}, bounds);
  if (!reply) return std::unexpected(std::move(reply).error());
  if (const auto* bound = std::get_if<Bound>(&*reply)) return bound->resources;
  return tampered("the runner did not say that it took its buffers");
}

Attempt<void> RunnerProcess::run(const Bounds& bounds) {
  return expect_done(call(RunCommand{}, {}, bounds));
}

Attempt<void> RunnerProcess::warm(int calls, const Bounds& bounds) {
  return expect_done(call(WarmCommand{calls}, {}, bounds));
}

Attempt<std::vector<double>> RunnerProcess::time(int samples, const Bounds& bounds) {
  return times_of(call(TimeCommand{samples}, {}, bounds));
}

Attempt<void> RunnerProcess::arm(const ArmCommand& command, std::span<const int> descriptors,
                                 const Bounds& bounds) {
  return expect_done(call(command, descriptors, bounds));
}

Attempt<Rounded> RunnerProcess::round(const RoundCommand& command, const Bounds& bounds) {
  auto reply = call(command, {}, bounds);
  if (!reply) return std::unexpected(std::move(reply).error());
  if (auto* rounded = std::get_if<Rounded>(&*reply)) return std::move(*rounded);
  return tampered("the runner answered a request for a round with something else");
}

Attempt<std::vector<double>> RunnerProcess::host_time(std::uint32_t calls, const Bounds& bounds) {
  return times_of(call(HostTimeCommand{calls}, {}, bounds));
}

Attempt<Traced> RunnerProcess::trace(const TraceCommand& command, const Bounds& bounds) {
  auto reply = call(command, {}, bounds);
  if (!reply) return std::unexpected(std::move(reply).error());
  if (auto* traced = std::get_if<Traced>(&*reply)) return std::move(*traced);
  return tampered("the runner answered a request for a trace with something else");
}

Attempt<void> RunnerProcess::profile(const ProfileCommand& command, const Bounds& bounds) {
  return expect_done(call(command, {}, bounds));
}

Attempt<Counted> RunnerProcess::count(const CountCommand& command, const Bounds& bounds) {
  auto reply = call(command, {}, bounds);
  if (!reply) return std::unexpected(std::move(reply).error());
  if (auto* counted = std::get_if<Counted>(&*reply)) return std::move(*counted);
  return tampered("the runner answered a request for counters with something else");
}

int RunnerProcess::runner_pid() const {
  const auto children = read_file(fmt::format("/proc/{0}/task/{0}/children", process_.pid()));
  return children ? std::atoi(children->c_str()) : 0;
}

std::optional<ProcessorUse> RunnerProcess::processor_use() const {
  const int runner = runner_pid();
  return runner > 0 ? process::processor_use(runner) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> RunnerProcess::cpu_time() const {
  const int runner = runner_pid();  // only the kernel's own account is asked
  clockid_t clock{};
  timespec used{};
  if (runner <= 0 || ::clock_getcpuclockid(runner, &clock) != 0 ||
      ::clock_gettime(clock, &used) != 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

Result<void> RunnerProcess::pause() {
  if (!alive()) return {};
  paused_ = true;
  return process::pause_below(process_.pid());
}

void RunnerProcess::resume() {
  if (std::exchange(paused_, false) && alive()) process::resume_below(process_.pid());
}

bool RunnerProcess::alive() {
  return !process_.poll().has_value();
}

Attempt<RunnerReply> RunnerProcess::call(const RunnerCommand& command,
                                         std::span<const int> descriptors, const Bounds& bounds) {
  resume();
  auto text =
      exchange(process_, channel_, output_, wire::encode_command(command), descriptors, bounds);
  if (!text) return std::unexpected(std::move(text).error());
  auto reply = wire::decode_reply(*text);
  if (!reply) return tampered("the runner sent a frame that is no reply");
  if (auto* refused = std::get_if<Refused>(&*reply)) {
    if (auto* crashed = std::get_if<Crashed>(&refused->verdict)) crashed->output = output_.tail();
    return std::unexpected(
        Setback(Fate{std::move(refused->verdict), std::move(refused->findings)}));
  }
  return std::move(*reply);
}

Attempt<void> RunnerProcess::expect_done(Attempt<RunnerReply> reply) const {
  if (!reply) return std::unexpected(std::move(reply).error());
  if (!std::holds_alternative<Done>(*reply)) {
    return tampered("the runner answered with what nobody asked for");
  }
  return {};
}

}  // namespace assay::worker
