#include "model/verdict.hpp"

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay {
namespace {

std::string describe(const Mismatch& mismatch) {
  return fmt::format("{}[{}] is {}, should be {}", mismatch.output, fmt::join(mismatch.index, ", "),
                     mismatch.got, mismatch.want);
}

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

/// "ValueError: boom" of a reason; explain() adds the thread behind a semicolon.
std::string words_of(std::string_view reason) {
  return lower(trimmed(reason.substr(0, reason.find("; thread "))));
}

/// Whether what was printed ends with what the reason says already: a traceback or an assertion.
bool ends_with_reason(std::string_view output, std::string_view reason) {
  output = trimmed(output);
  if (output.ends_with('.')) output.remove_suffix(1);
  const std::string said = words_of(reason);
  return !said.empty() && lower(output).ends_with(said);
}

constexpr std::string_view kTraceback = "Traceback (most recent call last)";

/// " (line 12)": the innermost line of the author's in a traceback, which the error does not tell.
std::string line_of_traceback(std::string_view output) {
  constexpr std::string_view kPlace = "\"kernel.py\", line ";
  const std::size_t at = output.rfind(kPlace);
  if (output.find(kTraceback) == std::string_view::npos || at == std::string_view::npos) return {};
  const std::string_view rest = output.substr(at + kPlace.size());
  return fmt::format(" (line {})", rest.substr(0, rest.find_first_not_of("0123456789")));
}

/// What was printed before the traceback or the assertion. Other threads may assert the same.
std::string printed_before(std::string_view output, std::string_view reason) {
  output = trimmed(output);
  std::size_t end = output.find(kTraceback);
  if (end == std::string_view::npos) end = output.rfind('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view before = trimmed(output.substr(0, end));
  if (before.empty() || lower(before).find(words_of(reason)) != std::string::npos) return {};
  return fmt::format("; it printed: {}", before);
}

struct Reason {
  std::string operator()(const Accepted&) const { return {}; }
  std::string operator()(const DidNotCompile& v) const { return v.log; }
  std::string operator()(const WrongAnswer& v) const {
    if (!v.first) return v.reason;
    return fmt::format("{}: first {}", v.reason, describe(*v.first));
  }
  std::string operator()(const NonDeterministic& v) const {
    if (!v.first) return v.reason;
    return fmt::format("{}: first {}", v.reason, describe(*v.first));
  }
  std::string operator()(const Crashed& v) const {
    if (v.output.empty()) return v.reason;
    if (ends_with_reason(v.output, v.reason)) {
      return v.reason + line_of_traceback(v.output) + printed_before(v.output, v.reason);
    }
    return fmt::format("{}; it printed: {}", v.reason, v.output);
  }
  std::string operator()(const TimedOut& v) const {
    return fmt::format("Job timed out after {} seconds while {}",
                       static_cast<double>(v.limit.count()) / 1000.0, v.phase);
  }
  std::string operator()(const OutOfMemory& v) const { return v.reason; }
  std::string operator()(const Tampered& v) const {
    return fmt::format("{}: {}", v.rule, v.reason);
  }
  std::string operator()(const ImpossibleTime& v) const { return v.reason; }
  std::string operator()(const ReferenceFailed& v) const {
    return fmt::format("the reference failed ({}): {}", v.verdict, v.reason);
  }
  std::string operator()(const Unsupported& v) const {
    return v.line ? fmt::format("line {}: {}", *v.line, v.reason) : v.reason;
  }
  std::string operator()(const WeakCheck& v) const { return v.reason; }
};

}  // namespace

std::string reason_of(const Verdict& verdict) {
  return std::visit(Reason{}, verdict);
}

Verdict as_reference_failure(const Verdict& verdict) {
  return ReferenceFailed{.verdict = std::string(name_of(verdict)), .reason = reason_of(verdict)};
}

}  // namespace assay
