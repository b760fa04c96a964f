#pragma once

#include <expected>
#include <string_view>

#include "model/request.hpp"
#include "wire/decode_error.hpp"

namespace assay::wire {

/// Bounds of the compatible API, kept.
inline constexpr int kMaxTrials = 10000;
inline constexpr int kMaxRounds = 100;
inline constexpr int kMinTimeoutSeconds = 5;
inline constexpr int kMaxTimeoutSeconds = 600;
inline constexpr double kLeastThreshold = 0.001;  // finer than any clock here repeats itself
inline constexpr double kMostThreshold = 0.5;

/// Reads a request body by the rules of its form. Every field that is wrong is reported, with
/// its path. The compatible forms ignore unknown keys outside KernelCode; `job` refuses them
/// everywhere.
[[nodiscard]] std::expected<Request, DecodeError> decode_request(RequestForm form,
                                                                 std::string_view body);

}  // namespace assay::wire
