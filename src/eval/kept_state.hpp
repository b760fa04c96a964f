#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eval/answer.hpp"

namespace assay::eval {

/// A sentence that names what the reference's calls keep in its model and the candidate's do not,
/// or otherwise; nothing where both keep the same. Buffers among `unmatched` do not count: the
/// candidate has no such thing, and that is told apart. A new norm knows its statistics less
/// exactly than its answers, so they agree within a hundredth of what is typical.
[[nodiscard]] std::optional<std::string> state_not_kept(const Answer& reference,
                                                        const Answer& candidate,
                                                        const std::vector<std::string>& unmatched);

}  // namespace assay::eval
