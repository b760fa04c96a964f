#include "runner/report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/simt_abi.h>
#include <fmt/core.h>

#include "model/finding.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::runner {
namespace {

std::string_view kind_name(std::uint32_t kind) {
  switch (kind) {
    case ASSAY_SIMT_OUT_OF_BOUNDS:
      return "out_of_bounds";
    case ASSAY_SIMT_MISALIGNED:
      return "misaligned";
    case ASSAY_SIMT_UNINITIALISED_READ:
      return "uninitialised_read";
    case ASSAY_SIMT_RACE:
      return "race";
    case ASSAY_SIMT_BARRIER_DIVERGENCE:
      return "barrier_divergence";
    case ASSAY_SIMT_DEADLOCK:
      return "deadlock";
    case ASSAY_SIMT_WILD_ACCESS:
      return "wild_access";
    case ASSAY_SIMT_STACK_OVERFLOW:
      return "stack_overflow";
    case ASSAY_SIMT_TRAP:
      return "trap";
    case ASSAY_SIMT_ASSERT:
      return "assert";
    case ASSAY_SIMT_INVALID_LAUNCH:
      return "invalid_launch";
    case ASSAY_SIMT_ILLEGAL_INSTRUCTION:
      return "illegal_instruction";
    case ASSAY_SIMT_WARP_MISUSE:
      return "warp_misuse";
    case ASSAY_SIMT_UNSUPPORTED:
      return "unsupported";
    default:
      return "unknown";
  }
}

Place place_of(const assay_simt_place& place) {
  return {.thread = {place.thread[0], place.thread[1], place.thread[2]},
          .block = {place.block[0], place.block[1], place.block[2]},
          .line = place.line == 0 ? std::nullopt : std::optional(static_cast<int>(place.line)),
          .is_write = place.is_write != 0,
          .is_atomic = place.is_atomic != 0};
}

Finding finding_of(const assay_simt_finding& found) {
  Finding finding{.kind = std::string(kind_name(found.kind)),
                  .message = found.message,
                  .array = found.array,
                  .place = place_of(found.place)};
  if (!finding.array.empty()) finding.index = found.index;
  if (found.has_other != 0) finding.other = place_of(found.other);
  return finding;
}

Verdict verdict_for(const assay_simt_finding& first, const std::string& message) {
  switch (first.kind) {
    case ASSAY_SIMT_UNSUPPORTED:
      return Unsupported{.reason = message,
                         .line = first.place.line == 0
                                     ? std::nullopt
                                     : std::optional(static_cast<int>(first.place.line))};
    case ASSAY_SIMT_RACE:
    case ASSAY_SIMT_UNINITIALISED_READ:
      return NonDeterministic{.reason = message};  // the answer depends on what nobody controls
    default:
      return Crashed{.reason = message};
  }
}

}  // namespace

std::optional<Refused> refusal(const assay_simt_report& report) {
  if (report.status == 0 && report.finding_count == 0) return std::nullopt;
  if (report.finding_count == 0) {
    return Refused{.verdict = Crashed{.reason = fmt::format("the launch failed with CUDA error {}",
                                                            report.status)},
                   .findings = {}};
  }
  std::vector<Finding> findings;
  const std::size_t count = std::min<std::size_t>(report.finding_count, ASSAY_SIMT_MAX_FINDINGS);
  findings.reserve(count);
  for (std::size_t i = 0; i < count; ++i) findings.push_back(finding_of(report.findings[i]));
  Verdict verdict =
      verdict_for(report.findings[0], fmt::format("{}: {}", findings[0].kind, findings[0].message));
  return Refused{.verdict = std::move(verdict), .findings = std::move(findings)};
}

}  // namespace assay::runner
