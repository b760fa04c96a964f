#include "cli/clock_holder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <expected>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/locked_clocks.hpp"
#include "model/device_info.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kLongestAnswer{20};  // of a driver that is just being loaded
constexpr std::chrono::seconds kLongestEnd{5};

struct Pipe {
  UniqueFd read;
  UniqueFd write;

  /// No other program that we start may keep the holder's input open.
  static Result<Pipe> make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(errno_error("make a pipe"));
    return Pipe{.read = UniqueFd(ends[0]), .write = UniqueFd(ends[1])};
  }
};

Result<pid_t> spawn(std::vector<std::string>& argv, const Pipe& input, const Pipe& output) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  std::string path = "PATH=/usr/bin:/bin";
  std::array<char*, 2> environment{path.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output.write.get(), STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // out of reach of the terminal's keys
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, words.front(), &files, &attributes, words.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed == 0) return pid;
  errno = failed;
  return std::unexpected(errno_error("start " + argv.front()));
}

/// Its first line, or less if it ends before, or says nothing for too long.
std::string first_line(const UniqueFd& output) {
  const SystemClock clock;
  const Deadline deadline(clock, kLongestAnswer);
  std::string line;
  while (!deadline.expired()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.remaining());
    pollfd waiting{.fd = output.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) break;
    if (waiting.revents == 0) continue;
    char next = 0;
    const ssize_t count = ::read(output.get(), &next, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || next == '\n') break;
    line.push_back(next);
  }
  return line;
}

}  // namespace

Result<ClockHolder> ClockHolder::start(std::vector<std::string> argv) {
  ASSAY_TRY(Pipe input, Pipe::make());
  ASSAY_TRY(Pipe output, Pipe::make());
  ASSAY_TRY(const pid_t pid, spawn(argv, input, output));
  ClockHolder holder(pid, std::move(input.write));
  output.write.reset();  // so that we hear of its end
  const std::string said = first_line(output.read);
  if (said == kHeld) return holder;
  return fail(ErrorCode::unavailable, said.empty() ? "nothing was answered" : said);
}

ClockHolder::~ClockHolder() {
  if (pid_ == 0) return;
  input_.reset();
  const SystemClock clock;
  const Deadline deadline(clock, kLongestEnd);
  // One that hangs in the driver is left to it: it still gives the clocks back if it can.
  while (::waitpid(pid_, nullptr, WNOHANG) == 0 && !deadline.expired()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Result<std::vector<ClockHolder>> hold_clocks(std::vector<DeviceInfo>& devices,
                                             const std::string& at, const std::string& executable,
                                             const Log& log) {
  if (auto known = device::parse_clock_choice(at); !known) {
    return std::unexpected(std::move(known).error().while_doing("--lock-clocks"));
  }
  if (std::ranges::find(devices, DeviceKind::cuda, &DeviceInfo::kind) == devices.end()) {
    log.warning("device", "--lock-clocks does nothing: no GPU is used");
  }
  std::vector<ClockHolder> all;
  for (DeviceInfo& device : devices) {
    if (device.kind != DeviceKind::cuda) continue;
    auto held = ClockHolder::start({executable, kHoldClocks, "--gpu", device.uuid, "--at", at});
    device.clocks_locked = held.has_value();
    if (held) {
      log.info("device", "{}: its clocks are locked at {} until this ends", device.id.value, at);
      all.push_back(*std::move(held));
    } else {
      log.warning("device", "{}: its clocks are not locked: {}", device.id.value,
                  held.error().message());
    }
  }
  return all;
}

}  // namespace assay::cli
