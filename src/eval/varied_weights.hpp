#pragma once

#include <string>

#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"

namespace assay::eval {

/// Whether a verdict over varied weights has to be found again over the author's own. Many models
/// are wrong over both, and then the author's are plainer to read. Some are right over those. Who
/// was right in every round follows the weights, whatever became of it when it was timed.
[[nodiscard]] bool may_come_of_weights(const Outcome& outcome);

/// What a candidate leaves out of the varied weights, if it is right where only `vary` are. Nothing
/// where that would tell no more than the author's own weights do.
[[nodiscard]] VariedWeights ignored_beside(VaryWeights vary, const VariedWeights& varied);

/// Whether leaving these out is refused. Weights of norms, and others that were varied while they
/// were made, could be folded with the numbers they have. All else may have been folded before it
/// was varied: that is told, and refused if the request is strict.
[[nodiscard]] bool is_refused(const VariedWeights& ignored, const Request& request);

/// Writes into the outcome over fewer varied weights what became of it over more of them: `why`.
void tell_ignored_weights(const VariedWeights& ignored, const std::string& why,
                          const Request& request, Outcome& outcome);

}  // namespace assay::eval
