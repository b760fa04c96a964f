#include "process/run_captured.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <stop_token>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/exit_status.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "process/wait_ready.hpp"

namespace assay::process {
namespace {

/// Reads all there is at the moment. False at the end of the stream.
bool drain(int fd, CapturedRun& run, std::size_t limit) {
  std::array<char, std::size_t{64} << 10U> chunk;  // a pipe's whole capacity
  const ssize_t count = ::read(fd, chunk.data(), chunk.size());
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  const auto size = static_cast<std::size_t>(count);
  const std::size_t kept = std::min(size, limit - std::min(limit, run.output.size()));
  run.output.append(chunk.data(), kept);
  run.dropped_bytes += size - kept;
  return true;
}

enum class End : std::uint8_t { program_ended, deadline, stopped };

Result<End> read_until_end(int output, const Subprocess& program, Deadline deadline,
                           const std::stop_token& stop, CapturedRun& run, std::size_t limit) {
  const StopDescriptor stopped(stop);
  std::array<pollfd, 3> entries{pollfd{.fd = output, .events = POLLIN, .revents = 0},
                                pollfd{.fd = program.pidfd(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = stopped.fd(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (deadline.expired()) return End::deadline;
    ASSAY_TRY(const bool ready, poll_for(entries, deadline.remaining()));
    if (!ready) continue;
    if (entries[2].revents != 0) return End::stopped;
    if (entries[0].revents != 0 && !drain(output, run, limit)) entries[0].fd = -1;
    if (entries[1].revents != 0) return End::program_ended;
  }
}

}  // namespace

Result<CapturedRun> run_captured(const Command& command, const JailSupport& support,
                                 Deadline deadline, const std::stop_token& stop,
                                 std::size_t output_limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(errno_error("make a pipe"));
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  (void)::fcntl(output.get(), F_SETFL, O_NONBLOCK);  // our end alone: the program's blocks

  Command with_output = command;
  with_output.descriptors.emplace_back(input.get(), STDOUT_FILENO);
  with_output.descriptors.emplace_back(input.get(), STDERR_FILENO);
  const SystemClock clock;
  const SteadyTime began = clock.now();
  ASSAY_TRY(Subprocess program, Subprocess::spawn(with_output, support));
  input.reset();

  CapturedRun run;
  ASSAY_TRY(const End end,
            read_until_end(output.get(), program, deadline, stop, run, output_limit));
  if (end == End::stopped) return fail(ErrorCode::cancelled, "stopped while a command was running");
  if (end == End::deadline) program.kill();
  constexpr std::chrono::seconds kForTheKernel{10};
  ASSAY_TRY(const ExitStatus status, program.wait({}, Deadline(clock, kForTheKernel)));
  if (end == End::program_ended) run.status = status;
  run.elapsed = clock.now() - began;
  run.peak_memory_bytes = program.peak_memory_bytes();
  while (drain(output.get(), run, output_limit) && errno != EAGAIN) {
  }
  return run;
}

}  // namespace assay::process
