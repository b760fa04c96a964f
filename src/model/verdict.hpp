#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace assay {

/// One element that is wrong. Values are text because an int64 does not fit a double and NaN
/// does not fit JSON.
struct Mismatch {
  std::string output;  // the argument's name
  std::vector<std::int64_t> index;
  std::string got;
  std::string want;
};

struct Accepted {};
struct DidNotCompile {
  std::string log;
};
struct WrongAnswer {
  std::string reason;              // a sentence: what differed
  std::string rule = "tolerance";  // which check found it, by its name in docs/judging.md
  std::optional<Mismatch> first;   // absent where the structure itself differs
  std::uint64_t mismatches = 0;
  std::uint64_t compared = 0;
  int round = 0;  // counted from 1
};
/// Two runs over the same inputs gave different answers.
struct NonDeterministic {
  std::string reason;
  std::optional<Mismatch> first;
};
struct Crashed {
  std::string reason;         // "killed by SIGSEGV (segmentation fault)"
  std::string output;         // the end of what it printed
  std::optional<int> signal;  // that ended the process, where one did
};
struct TimedOut {
  std::chrono::milliseconds limit{};
  std::string phase;
};
struct OutOfMemory {
  std::string reason;
};
struct Tampered {
  std::string rule;  // which check caught it
  std::string reason;
};
struct ImpossibleTime {
  std::string reason;
};
/// The reference did not do its part, so nothing is known of the candidate.
struct ReferenceFailed {
  std::string verdict;  // what the reference's own verdict would be
  std::string reason;
};
struct Unsupported {
  std::string reason;
  std::optional<int> line;
};
/// Only for a `strict` request: passing its check would not mean much. Not the candidate's fault.
struct WeakCheck {
  std::string reason;
  std::vector<std::string> passes;  // what would pass
};

/// What became of a submission. Each outcome carries only what is true of it.
using Verdict =
    std::variant<Accepted, DidNotCompile, WrongAnswer, NonDeterministic, Crashed, TimedOut,
                 OutOfMemory, Tampered, ImpossibleTime, ReferenceFailed, Unsupported, WeakCheck>;

/// In the order of the alternatives of Verdict.
inline constexpr std::array<std::string_view, std::variant_size_v<Verdict>> kVerdictNames = {
    "accepted",        "did_not_compile",  "wrong_answer",  "non_deterministic",
    "crashed",         "timed_out",        "out_of_memory", "tampered",
    "impossible_time", "reference_failed", "unsupported",   "weak_check"};

[[nodiscard]] constexpr std::string_view name_of(const Verdict& verdict) {
  return kVerdictNames[verdict.index()];
}

/// One sentence for people: why this verdict. Empty for `accepted`.
[[nodiscard]] std::string reason_of(const Verdict& verdict);

/// The candidate's verdict when the reference got this one.
[[nodiscard]] Verdict as_reference_failure(const Verdict& verdict);

}  // namespace assay
