#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"

namespace assay::process::testkit {

inline constexpr std::string_view kSpawnerCommand = "spawner";

/// Starts a jailed program that holds descriptor 9 of this process, says "ready" on standard
/// output, and hangs: to be killed without warning.
int spawner_main(int argc, char** argv);

/// Whether anybody outside this process still holds the other end of a pipe.
class LifeLine {
 public:
  LifeLine();
  [[nodiscard]] int end() const { return held_.get(); }
  /// Lets go of our own copy of the end that was given away.
  void give_away() { held_.reset(); }
  /// True once nobody holds it; waits for `patience` at most.
  [[nodiscard]] bool cut(std::chrono::nanoseconds patience);

 private:
  UniqueFd watched_;
  UniqueFd held_;
};

/// Whether this executable, and so the programs it jails, is built with a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// The descriptor under which programs hold the LifeLine.
inline constexpr int kLifeLineNumber = 9;

[[nodiscard]] Deadline in(std::chrono::nanoseconds time);

/// What this machine allows, probed once.
[[nodiscard]] const JailSupport& full_support();
/// The same without some parts, as a poorer machine would have it.
[[nodiscard]] JailSupport support_without(std::initializer_list<JailPart> parts);

/// This executable, jailed, behaving as told (process/testkit/hostile.hpp).
[[nodiscard]] Command hostile(std::string_view behaviour, std::string_view argument = "");

/// Runs it with a deadline of a minute, which no test here should need.
[[nodiscard]] CapturedRun run(const Command& command, const JailSupport& support = full_support());

/// Skips the test where a part of the jail is missing on this machine.
#define ASSAY_NEEDS(part)                                                     \
  if (!::assay::process::testkit::full_support().has(JailPart::part)) {       \
    GTEST_SKIP() << "needs " << to_string(JailPart::part) << " on this host"; \
  }

}  // namespace assay::process::testkit
