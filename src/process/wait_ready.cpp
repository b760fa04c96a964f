#include "process/wait_ready.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <expected>
#include <span>
#include <stop_token>

#include <poll.h>
#include <sys/eventfd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::process {
namespace {

using std::chrono::nanoseconds;

timespec to_timespec(nanoseconds wait) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
  return {.tv_sec = seconds.count(), .tv_nsec = (wait - seconds).count()};
}

}  // namespace

StopDescriptor::StopDescriptor(const std::stop_token& stop) {
  if (!stop.stop_possible()) return;
  event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  callback_.emplace(stop, [fd = event_.get()] { ::eventfd_write(fd, 1); });
}

Result<bool> poll_for(std::span<pollfd> entries, nanoseconds wait) {
  const auto end = std::chrono::steady_clock::now() + wait;
  while (true) {
    const timespec timeout = to_timespec(std::max(wait, nanoseconds::zero()));
    const int ready = ::ppoll(entries.data(), entries.size(), &timeout, nullptr);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return std::unexpected(errno_error("poll"));
    wait = end - std::chrono::steady_clock::now();
  }
}

Result<void> wait_ready(int fd, short events, Deadline deadline, const std::stop_token& stop) {
  const StopDescriptor stopped(stop);
  std::array<pollfd, 2> entries{pollfd{.fd = fd, .events = events, .revents = 0},
                                pollfd{.fd = stopped.fd(), .events = POLLIN, .revents = 0}};
  while (true) {
    ASSAY_TRY(const bool ready, poll_for(entries, deadline.remaining()));
    if (entries[0].revents != 0) return {};
    if (entries[1].revents != 0) return fail(ErrorCode::cancelled, "stopped while waiting");
    if (!ready && deadline.expired()) {
      return fail(ErrorCode::deadline_exceeded, "deadline passed while waiting");
    }
  }
}

}  // namespace assay::process
