#include "model/verdict.hpp"

#include <string>
#include <variant>

#include <fmt/core.h>
#include <fmt/format.h>

namespace assay {
namespace {

std::string describe(const Mismatch& mismatch) {
  return fmt::format("{}[{}] is {}, should be {}", mismatch.output, fmt::join(mismatch.index, ", "),
                     mismatch.got, mismatch.want);
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
    return v.output.empty() ? v.reason : fmt::format("{}; it printed: {}", v.reason, v.output);
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
