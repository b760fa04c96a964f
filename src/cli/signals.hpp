#pragma once

#include <stop_token>
#include <thread>

namespace assay::cli {

inline constexpr int kInterrupted = 130;  // the exit code after Ctrl-C, as of a shell

/// Turns SIGINT and SIGTERM into a stop request; a second one ends the process at once. Make it
/// before any other thread: they inherit the blocked signals.
class SignalStop {
 public:
  SignalStop();
  ~SignalStop();
  SignalStop(const SignalStop&) = delete;
  SignalStop& operator=(const SignalStop&) = delete;
  SignalStop(SignalStop&&) = delete;
  SignalStop& operator=(SignalStop&&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// Returns when a signal has come.
  void wait() const;

 private:
  std::stop_source source_;
  std::jthread listener_;
};

}  // namespace assay::cli
