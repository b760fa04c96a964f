#pragma once

#include <optional>
#include <stop_token>
#include <variant>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "model/device_info.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"

namespace assay::queue {

struct BuiltPair {
  std::optional<BuiltKernel> reference;  // absent where the request has none
  BuiltKernel candidate;
};

/// The candidate's verdict if the build of the reference ended so. If time ran out, that is the
/// verdict of the request, whichever build was slow.
[[nodiscard]] Verdict reference_verdict(const Verdict& verdict);

/// Builds both kernels of a request at the same time, or says which verdict that gives. If both
/// fail, the reference's failure decides: without the reference nothing is known of the candidate.
[[nodiscard]] Result<std::variant<BuiltPair, Verdict>> build_both(compile::Builder& builder,
                                                                  const Request& request,
                                                                  DeviceKind device,
                                                                  const Deadline& deadline,
                                                                  const std::stop_token& stop);

}  // namespace assay::queue
