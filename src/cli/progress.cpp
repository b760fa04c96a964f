#include "cli/progress.hpp"

#include <chrono>
#include <cstdio>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kAgain{10};  // where every line is kept

}  // namespace

std::string progress_text(std::string_view state, std::string_view detail,
                          std::chrono::seconds spent) {
  const std::string time = spent.count() < 1 ? "" : fmt::format(" {} s", spent.count());
  return fmt::format("{}{}{}{}", state, time, detail.empty() ? "" : ": ", detail);
}

ProgressLine::ProgressLine(bool enabled, bool is_terminal, const Clock& clock)
    : enabled_(enabled), terminal_(is_terminal), clock_(clock), since_(clock.now()), said_(since_) {
  if (!enabled_) return;
  ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
}

ProgressLine::~ProgressLine() {
  ticker_ = {};
  clear();
}

void ProgressLine::show(std::string_view state, std::string_view detail) {
  if (!enabled_) return;
  const MutexLock lock(mutex_);
  if (state != state_) since_ = clock_.now();
  state_ = state;
  detail_ = detail;
  draw();
}

void ProgressLine::clear() {
  const MutexLock lock(mutex_);
  if (enabled_ && terminal_ && !state_.empty()) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
  state_.clear();
}

void ProgressLine::remind() {
  const MutexLock lock(mutex_);
  if (!enabled_ || state_.empty()) return;
  if (terminal_ || clock_.now() - said_ >= kAgain) draw();
}

void ProgressLine::tick(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      changed_.wait_for(mutex_, stop, std::chrono::seconds(1), [] { return false; });
    }
    remind();
  }
}

void ProgressLine::draw() {
  said_ = clock_.now();
  const auto spent = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - since_);
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", progress_text(state_, detail_, spent),
             terminal_ ? " …" : "\n");
  std::fflush(stderr);
}

}  // namespace assay::cli
