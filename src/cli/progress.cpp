#include "cli/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/printable.hpp"
#include "cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kAgain{10};  // where every line is kept

/// Bytes that go on with a letter of several bytes.
bool goes_on(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// How a job ended is told in full below the line: here the verdict is enough.
std::string_view brief(std::string_view state, std::string_view detail) {
  if (state == "done") return detail.substr(0, detail.find(':'));
  return state == "failed" || state == "cancelled" ? "" : detail;
}

}  // namespace

std::string progress_text(std::string_view state, std::string_view detail,
                          std::chrono::seconds spent) {
  const std::string time = spent.count() < 1 ? "" : fmt::format(" {} s", spent.count());
  return fmt::format("{}{}{}{}", state, time, detail.empty() ? "" : ": ", detail);
}

std::string fitted(std::string text, std::size_t columns) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (goes_on(text[at]) || ++letters < columns) continue;
    const bool is_last = std::ranges::all_of(text.substr(at + 1), goes_on);
    if (is_last && letters == columns) break;
    return text.substr(0, at) + "…";
  }
  return text;
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
  detail_ = printable_line(brief(state, detail));
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
  std::string text = progress_text(state_, detail_, spent);
  if (terminal_) text = fitted(text + " …", columns_of(STDERR_FILENO).value_or(text.size() + 3));
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace assay::cli
