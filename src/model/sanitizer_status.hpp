#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/names.hpp"

namespace assay {

/// What came of the sanitizers that a request asked for. What they found are the outcome's
/// findings.
enum class SanitizerState : std::uint8_t {
  checked,
  unavailable,  // there is no tool for this device: the kernel was evaluated without
  timed_out,
  failed,
  skipped,  // there was nothing to run, or the request's time was spent
};

inline constexpr NameTable<SanitizerState, 5> kSanitizerStateNames = {{
    {SanitizerState::checked, "checked"},
    {SanitizerState::unavailable, "unavailable"},
    {SanitizerState::timed_out, "timed_out"},
    {SanitizerState::failed, "failed"},
    {SanitizerState::skipped, "skipped"},
}};

constexpr std::string_view to_string(SanitizerState state) {
  return name_in(kSanitizerStateNames, state);
}

struct SanitizerStatus {
  SanitizerState state = SanitizerState::failed;
  std::string by;                 // "compute-sanitizer", "the cpu device"
  std::string reason;             // what happened, for people; empty where all went well
  std::string advice;             // what to do about it
  std::optional<double> seconds;  // what it took, where it was a run of its own
};

}  // namespace assay
