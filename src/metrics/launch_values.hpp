#pragma once

// Private to metrics: the numbers that are more than one metric of a report.

#include <optional>
#include <string_view>

#include "metrics/keys.hpp"

namespace assay::metrics::values {

[[nodiscard]] std::optional<double> dram_pct(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> sm_active_pct(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> tensor_instructions_pct(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> issued_per_cycle(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> load_sectors(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> load_requests(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> store_sectors(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> store_requests(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> sectors(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> ideal_sectors(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> excessive_sectors(const LaunchFacts& facts);

[[nodiscard]] std::optional<double> flop(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> tensor_flop(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> cuda_flop(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> dram_bytes(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> gigaflops(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> peak_gigaflops(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> dense_peak_gigaflops(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> dram_peak_gb_s(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> attainable_gigaflops(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> of_attainable_pct(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> sm_clock_ghz(const LaunchFacts& facts);
[[nodiscard]] std::optional<double> duration_seconds(const LaunchFacts& facts);

/// The share of a warp's time that it waits for one reason, by the profiler's name for it.
[[nodiscard]] std::optional<double> stall_pct(const LaunchFacts& facts, std::string_view reason);

}  // namespace assay::metrics::values
