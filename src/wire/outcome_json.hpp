#pragma once

// Private to wire. The read_ functions throw what the JSON library throws; their callers catch.

#include "model/artifact.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// {"verdict", "reason", "details"}
[[nodiscard]] Json verdict_json(const Verdict& verdict);
[[nodiscard]] Verdict read_verdict(const Json& json);
[[nodiscard]] Json finding_json(const Finding& finding);
[[nodiscard]] Finding read_finding(const Json& json);
[[nodiscard]] Json timing_json(const TimingSummary& timing, bool with_samples);
[[nodiscard]] Json spills_json(const RegisterSpills& spills);
[[nodiscard]] RegisterSpills read_spills(const Json& json);
[[nodiscard]] Json resources_json(const KernelResources& resources);
[[nodiscard]] KernelResources read_resources(const Json& json);
[[nodiscard]] Json artifact_json(const Artifact& artifact);
[[nodiscard]] Artifact read_artifact(const Json& json);
[[nodiscard]] Json outcome_json(const Outcome& outcome, bool with_samples);
[[nodiscard]] Outcome read_outcome(const Json& json);

}  // namespace assay::wire
