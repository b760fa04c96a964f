#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace assay::cli {

/// "building 12 s: compiling CUDA headers …". The first text of a state has no seconds.
[[nodiscard]] std::string progress_text(std::string_view state, std::string_view detail,
                                        std::chrono::seconds spent);

/// As much of a line as fits beside the cursor: a terminal can take back one row only.
[[nodiscard]] std::string fitted(std::string text, std::size_t columns);

/// Says on standard error what a job does. On a terminal it rewrites one line every second.
/// Elsewhere it writes a line for each change, and again after every ten seconds without one.
class ProgressLine {
 public:
  ProgressLine(bool enabled, bool is_terminal, const Clock& clock);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;

  void show(std::string_view state, std::string_view detail);
  /// Says it again if that is due. Called every second.
  void remind();
  /// Takes the line away, until the next state.
  void clear();

 private:
  void tick(const std::stop_token& stop);
  void draw() ASSAY_REQUIRES(mutex_);

  const bool enabled_;
  const bool terminal_;
  const Clock& clock_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::string state_ ASSAY_GUARDED_BY(mutex_);  // empty: nothing is shown
  std::string detail_ ASSAY_GUARDED_BY(mutex_);
  SteadyTime since_ ASSAY_GUARDED_BY(mutex_);
  SteadyTime said_ ASSAY_GUARDED_BY(mutex_);
  std::jthread ticker_;  // last: it uses all above
};

}  // namespace assay::cli
