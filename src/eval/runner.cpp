#include "eval/runner.hpp"

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

std::unexpected<Setback> no_gate() {
  return std::unexpected(Setback(Fate{Unsupported{"this runner has no gate"}, {}}));
}

std::unexpected<Setback> no_profiler() {
  return std::unexpected(Setback(Fate{Unsupported{"no profiler is around this runner"}, {}}));
}

}  // namespace

std::unexpected<Setback> tampered(std::string rule, std::string reason) {
  return std::unexpected(
      Setback(Fate{Tampered{.rule = std::move(rule), .reason = std::move(reason)}, {}}));
}

Attempt<void> Runner::arm(const ArmCommand&, std::span<const int>, const Bounds&) {
  return no_gate();
}

Attempt<Rounded> Runner::round(const RoundCommand&, const Bounds&) {
  return no_gate();
}

Attempt<std::vector<double>> Runner::host_time(std::uint32_t, const Bounds&) {
  return no_gate();
}

Attempt<Traced> Runner::trace(const TraceCommand&, const Bounds&) {
  return no_gate();
}

Attempt<void> Runner::profile(const ProfileCommand&, const Bounds&) {
  return no_profiler();
}

Attempt<Counted> Runner::count(const CountCommand&, const Bounds&) {
  return no_profiler();
}

}  // namespace assay::eval
