#include "profile/program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

extern char** environ;

namespace assay::profile {
namespace {

constexpr std::chrono::seconds kToFinish{30};
constexpr std::chrono::seconds kProgressEvery{10};
constexpr std::chrono::milliseconds kLookEvery{100};

/// What the program prints on one descriptor: a pipe we read, shown on ours and kept in a file.
struct Stream {
  UniqueFd read;
  UniqueFd write;
  UniqueFd file;
  int shown = -1;

  static Result<Stream> open(const std::filesystem::path& path, int shown) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(errno_error("make a pipe"));
    Stream out{.read = UniqueFd(ends[0]), .write = UniqueFd(ends[1]), .shown = shown};
    out.file = UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (out.file.get() < 0) return std::unexpected(errno_error("open " + path.string()));
    return out;
  }

  /// False at the end.
  bool pass_on() {
    std::array<char, 1U << 16U> buffer{};
    const ssize_t count = ::read(read.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    for (const int to : {shown, file.get()}) {
      if (to < 0) continue;
      std::string_view rest(buffer.data(), static_cast<std::size_t>(count));
      while (!rest.empty()) {
        const ssize_t wrote = ::write(to, rest.data(), rest.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;  // a terminal that is gone does not stop the run
        rest.remove_prefix(static_cast<std::size_t>(wrote));
      }
    }
    return true;
  }
};

/// Ours with these instead or besides; the texts stay theirs.
std::vector<char*> environment_with(const std::vector<std::string>& more) {
  std::vector<char*> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(
        0, std::min(std::string_view(*entry).find('='), std::string_view(*entry).size() - 1) + 1);
    const bool replaced = std::ranges::any_of(
        more, [&](const std::string& other) { return other.starts_with(name); });
    if (!replaced) out.push_back(*entry);
  }
  for (const std::string& entry : more) out.push_back(const_cast<char*>(entry.c_str()));
  out.push_back(nullptr);
  return out;
}

Result<pid_t> spawn(const std::vector<std::string>& argv,
                    const std::vector<std::string>& more_environment, const Stream& output,
                    const Stream& errors) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, output.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors.write.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: Ctrl-C reaches it once, through us. Signals are as a shell would give them.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  // A shell has what it starts in the background ignore SIGINT, and so would the program: but that
  // is how we end it.
  sigset_t heard;
  sigemptyset(&heard);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM}) sigaddset(&heard, signal);
  posix_spawnattr_setsigdefault(&attributes, &heard);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int status = posix_spawnp(&pid, words.front(), &files, &attributes, words.data(),
                                  environment_with(more_environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (status == 0) return pid;
  return fail(status == ENOENT ? ErrorCode::not_found : ErrorCode::invalid_argument,
              fmt::format("run {}: {}", argv.front(), std::strerror(status)));
}

/// Asks the program to end, and ends it where it does not.
class Stopper {
 public:
  Stopper(pid_t pid, const Clock& clock) : pid_(pid), clock_(clock) {}

  void ask() {
    if (!asked_) ::kill(-pid_, SIGINT);
    if (!asked_) asked_ = clock_.now();
    if (clock_.now() - *asked_ > kToFinish) ::kill(-pid_, SIGKILL);
  }

 private:
  pid_t pid_;
  const Clock& clock_;
  std::optional<SteadyTime> asked_;
};

}  // namespace

Result<Ended> run_program(const ProgramRun& program, const std::stop_token& stop,
                          const Clock& clock, const Progress& progress) {
  ASSAY_TRY(Stream out, Stream::open(program.output, program.show ? STDOUT_FILENO : -1));
  ASSAY_TRY(Stream err, Stream::open(program.errors, program.show ? STDERR_FILENO : -1));
  const SteadyTime began = clock.now();
  ASSAY_TRY(const pid_t pid, spawn(program.argv, program.more_environment, out, err));
  out.write = UniqueFd();
  err.write = UniqueFd();
  Stopper stopper(pid, clock);
  Ended ended;
  SteadyTime told = began;
  bool out_open = true;
  bool err_open = true;
  int status = 0;
  bool running = true;
  while (running || out_open || err_open) {
    std::array<pollfd, 2> wait = {pollfd{out_open ? out.read.get() : -1, POLLIN, 0},
                                  pollfd{err_open ? err.read.get() : -1, POLLIN, 0}};
    ::poll(wait.data(), wait.size(), static_cast<int>(kLookEvery.count()));
    if (wait[0].revents != 0) out_open = out.pass_on();
    if (wait[1].revents != 0) err_open = err.pass_on();
    if (running && ::waitpid(pid, &status, WNOHANG) == pid) running = false;
    // Something it left running may hold the pipes open: the run ends with the program.
    if (!running && wait[0].revents == 0 && wait[1].revents == 0) break;
    if (running && stop.stop_requested()) {
      ended.stopped = true;
      stopper.ask();
    }
    if (running && clock.now() - told >= kProgressEvery) {
      told = clock.now();
      progress(std::chrono::duration_cast<std::chrono::seconds>(told - began));
    }
  }
  ended.took = clock.now() - began;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.exit_code = ended.signal != 0 ? 128 + ended.signal : WEXITSTATUS(status);
  return ended;
}

}  // namespace assay::profile
