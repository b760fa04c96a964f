#include "worker/runner_process.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "eval/runner.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/subprocess.hpp"
#include "wire/runner_messages.hpp"

namespace assay::worker {
namespace {

using eval::Attempt;
using eval::Bounds;
using eval::Fate;
using eval::Setback;

constexpr std::size_t kOutputBytes = std::size_t{64} * 1024;
constexpr std::size_t kShownBytes = 4096;
constexpr int kChannelDescriptor = 3;
constexpr const char* kInsidePath = "/assay/assay";
constexpr std::chrono::milliseconds kTimeToDie{500};

/// Where a runner's standard output goes: a file of fixed size that cannot grow. A kernel that
/// prints gigabytes gets an error from write() and costs nobody anything.
Result<UniqueFd> bounded_output() {
  constexpr unsigned kFlags = 3U;  // MFD_CLOEXEC | MFD_ALLOW_SEALING
  UniqueFd fd(static_cast<int>(::syscall(SYS_memfd_create, "assay-output", kFlags)));
  if (!fd || ::ftruncate(fd.get(), kOutputBytes) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    return std::unexpected(errno_error("make a file for a runner's output"));
  }
  return fd;
}

std::unexpected<Setback> tampered(std::string reason) {
  return std::unexpected(
      Setback(Fate{Tampered{.rule = "protocol", .reason = std::move(reason)}, {}}));
}

Result<UniqueFd> open_for_runner(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::unexpected(errno_error("open " + path.string(), ErrorCode::unavailable));
  return fd;
}

}  // namespace

Result<std::unique_ptr<RunnerProcess>> RunnerProcess::spawn(const RunnerOptions& options,
                                                            const process::JailSupport& support) {
  ASSAY_TRY(auto ends, process::FrameChannel::pair());
  ASSAY_TRY(UniqueFd output, bounded_output());
  const bool has_root = support.has(process::JailPart::mount_namespace);
  const process::Command command{
      .argv = {has_root ? kInsidePath : options.executable, "runner"},
      .environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
      .descriptors = {{output.get(), 1},
                      {output.get(), 2},
                      {ends.second.get(), kChannelDescriptor}},
      .jail = process::JailProfile{.name = "runner",
                                   .binds = {{.host = options.executable, .inside = kInsidePath}},
                                   .limits = options.limits,
                                   .syscalls = process::SyscallPolicy::runner}};
  ASSAY_TRY(auto process, process::Subprocess::spawn(command, support));
  return std::unique_ptr<RunnerProcess>(
      new RunnerProcess(std::move(process), std::move(ends.first), std::move(output)));
}

Attempt<void> RunnerProcess::load(const BuiltKernel& kernel, const Bounds& bounds) {
  auto support = open_for_runner(kernel.support_dir / "libassay_simt.so");
  if (!support) return std::unexpected(std::move(support).error());
  auto module = open_for_runner(kernel.module);
  if (!module) return std::unexpected(std::move(module).error());
  return expect_done(
      call(LoadCommand{kernel.entry}, std::array{support->get(), module->get()}, bounds));
}

Attempt<void> RunnerProcess::bind(const LaunchPlan& plan, int arena_fd, std::size_t arena_size,
                                  const Bounds& bounds) {
  return expect_done(call(BindCommand{plan, arena_size}, std::array{arena_fd}, bounds));
}

Attempt<void> RunnerProcess::run(const Bounds& bounds) {
  return expect_done(call(RunCommand{}, {}, bounds));
}

Attempt<std::vector<double>> RunnerProcess::time(int samples, const Bounds& bounds) {
  auto reply = call(TimeCommand{samples}, {}, bounds);
  if (!reply) return std::unexpected(std::move(reply).error());
  if (auto* times = std::get_if<Samples>(&*reply)) return std::move(times->ns);
  return tampered("the runner answered a request for times with something else");
}

std::optional<std::chrono::nanoseconds> RunnerProcess::cpu_time() const {
  // The runner is the one child of its jail's init; only the kernel's own account is asked.
  const auto children = read_file(fmt::format("/proc/{0}/task/{0}/children", process_.pid()));
  const int runner = children ? std::atoi(children->c_str()) : 0;
  clockid_t clock{};
  timespec used{};
  if (runner <= 0 || ::clock_getcpuclockid(runner, &clock) != 0 ||
      ::clock_gettime(clock, &used) != 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

bool RunnerProcess::alive() {
  return !process_.poll().has_value();
}

Attempt<RunnerReply> RunnerProcess::call(const RunnerCommand& command,
                                         std::span<const int> descriptors, const Bounds& bounds) {
  auto sent =
      channel_.send(wire::encode_command(command), descriptors, bounds.deadline, bounds.stop);
  if (!sent) return std::unexpected(setback(std::move(sent).error(), bounds));
  auto text = channel_.receive(bounds.deadline, bounds.stop);
  if (!text) return std::unexpected(setback(std::move(text).error(), bounds));
  auto reply = wire::decode_reply(*text);
  if (!reply) return tampered("the runner sent a frame that is no reply");
  if (auto* refused = std::get_if<Refused>(&*reply)) {
    if (auto* crashed = std::get_if<Crashed>(&refused->verdict)) crashed->output = printed();
    return std::unexpected(
        Setback(Fate{std::move(refused->verdict), std::move(refused->findings)}));
  }
  return std::move(*reply);
}

Attempt<void> RunnerProcess::expect_done(Attempt<RunnerReply> reply) const {
  if (!reply) return std::unexpected(std::move(reply).error());
  if (!std::holds_alternative<Done>(*reply)) {
    return tampered("the runner answered with times that nobody asked for");
  }
  return {};
}

/// What a failed exchange means. Only the channel's own deadline and stop are ours; everything
/// else is the doing of the process at the other end.
Setback RunnerProcess::setback(Error error, const Bounds& bounds) {
  switch (error.code()) {
    case ErrorCode::deadline_exceeded:
    case ErrorCode::cancelled:
      process_.kill();
      return error;
    case ErrorCode::resource_exhausted:
    case ErrorCode::invalid_argument:
      return Fate{Tampered{.rule = "protocol", .reason = error.message()}, {}};
    default:
      return Fate{how_it_ended(bounds), {}};
  }
}

Verdict RunnerProcess::how_it_ended(const Bounds& bounds) {
  const SystemClock clock;
  const auto status = process_.wait(bounds.stop, Deadline(clock, kTimeToDie));
  if (!status) {
    process_.kill();
    return Tampered{.rule = "protocol",
                    .reason = "the kernel closed its runner's channel and went on running"};
  }
  if (const auto* memory = std::get_if<process::OverMemory>(&*status)) {
    return OutOfMemory{
        fmt::format("the kernel needed more than {} MiB of memory", memory->limit_bytes >> 20U)};
  }
  if (const auto* exited = std::get_if<process::Exited>(&*status)) {
    return Crashed{
        .reason = fmt::format("the kernel ended its process with exit code {}", exited->code),
        .output = printed()};
  }
  return Crashed{.reason = process::describe(*status),
                 .output = printed(),
                 .signal = std::get<process::Signalled>(*status).signal};
}

std::string RunnerProcess::printed() const {
  std::string text(kShownBytes, '\0');
  const off_t end = ::lseek(output_.get(), 0, SEEK_CUR);  // shared with the runner's own writes
  const off_t start =
      end > static_cast<off_t>(kShownBytes) ? end - static_cast<off_t>(kShownBytes) : 0;
  const ssize_t count =
      ::pread(output_.get(), text.data(), static_cast<std::size_t>(end - start), start);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace assay::worker
