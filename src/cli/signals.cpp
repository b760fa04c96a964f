#include "cli/signals.hpp"

#include <condition_variable>
#include <csignal>
#include <ctime>
#include <mutex>
#include <stop_token>
#include <thread>

#include <unistd.h>

namespace assay::cli {
namespace {

sigset_t stopping_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

SignalStop::SignalStop() {
  const sigset_t set = stopping_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  listener_ = std::jthread([this](const std::stop_token& end) {
    const sigset_t awaited = stopping_signals();
    while (!end.stop_requested()) {
      const timespec pause{.tv_sec = 0, .tv_nsec = 100'000'000};
      if (::sigtimedwait(&awaited, nullptr, &pause) < 0) continue;
      if (!source_.request_stop()) ::_exit(kInterrupted);
    }
  });
}

SignalStop::~SignalStop() {
  listener_.request_stop();
}

void SignalStop::wait() const {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, source_.get_token(), [] { return false; });
}

}  // namespace assay::cli
