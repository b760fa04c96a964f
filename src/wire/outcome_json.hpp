#pragma once

// Private to wire. The read_ functions throw what the JSON library throws; their callers catch.

#include "model/artifact.hpp"
#include "model/device_metrics.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/sanitizer_status.hpp"
#include "model/timing_summary.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// {"verdict", "reason", "details"}
[[nodiscard]] Json verdict_json(const Verdict& verdict);
[[nodiscard]] Verdict read_verdict(const Json& json);
[[nodiscard]] Json finding_json(const Finding& finding);
[[nodiscard]] Finding read_finding(const Json& json);
[[nodiscard]] Json sanitizers_json(const SanitizerStatus& status);
[[nodiscard]] SanitizerStatus read_sanitizers(const Json& json);
/// Samples and details of each batch are left out unless wanted.
[[nodiscard]] Json timing_json(const TimingSummary& timing, bool with_samples);
[[nodiscard]] Json kernel_time_json(const KernelTime& time);
[[nodiscard]] KernelTime read_kernel_time(const Json& json);
[[nodiscard]] TimingSummary read_timing(const Json& json);
[[nodiscard]] Json speed_json(const Speed& speed);
[[nodiscard]] Speed read_speed(const Json& json);
[[nodiscard]] Json spills_json(const RegisterSpills& spills);
[[nodiscard]] RegisterSpills read_spills(const Json& json);
[[nodiscard]] Json resources_json(const KernelResources& resources);
[[nodiscard]] KernelResources read_resources(const Json& json);
[[nodiscard]] Json artifact_json(const Artifact& artifact);
[[nodiscard]] Artifact read_artifact(const Json& json);
[[nodiscard]] Json metrics_status_json(const MetricsStatus& status);
[[nodiscard]] MetricsStatus read_metrics_status(const Json& json);
/// All but the status, which stands beside it.
[[nodiscard]] Json metrics_json(const DeviceMetrics& metrics);
[[nodiscard]] DeviceMetrics read_metrics(const Json& json);
[[nodiscard]] Json outcome_json(const Outcome& outcome, bool with_samples);
[[nodiscard]] Outcome read_outcome(const Json& json);

}  // namespace assay::wire
