#include "metrics/findings.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "metrics/call_metrics.hpp"
#include "metrics/ncu_command.hpp"
#include "model/device_metrics.hpp"
#include "trace/ncu/source_view.hpp"
#include "trace/ncu/summary.hpp"

namespace assay::metrics {
namespace {

using Number = std::optional<double>;

constexpr double kFewWarps = 50;     // percent of the warps a multiprocessor can hold
constexpr double kMuchExcess = 0.2;  // of sectors that no thread asked for
constexpr double kMostTime = 0.5;    // of the measured time, in the captured launches
constexpr double kBusyMemory = 60;   // percent of DRAM's peak

/// One call, with the numbers that a sentence names collected as they are read.
class Evidence {
 public:
  explicit Evidence(const CallMetrics& call) : call_(call) {}

  Number read(std::string_view group, std::string_view key) {
    const Number value = number_in(call_, group, key);
    if (value) used_.push_back({std::string(key), *value});
    return value;
  }
  [[nodiscard]] Number look(std::string_view group, std::string_view key) const {
    return number_in(call_, group, key);
  }
  [[nodiscard]] std::string word(std::string_view group, std::string_view key) const {
    for (const MetricGroup& each : call_.groups) {
      if (each.name != group) continue;
      const auto found = std::ranges::find(each.values, key, &MetricValue::key);
      if (found == each.values.end()) continue;
      if (const auto* text = std::get_if<std::string>(&found->value)) return *text;
    }
    return {};
  }
  [[nodiscard]] MetricFinding says(std::string_view rule, std::string text) {
    return {.rule = std::string(rule), .text = std::move(text), .numbers = std::move(used_)};
  }
  [[nodiscard]] const CallMetrics& call() const { return call_; }

 private:
  const CallMetrics& call_;
  std::vector<MetricValue> used_;
};

/// "; L2 hit rate 4 %", or nothing where it is not known.
std::string aside(std::string_view what, Number percent) {
  return percent ? fmt::format("; {} {:.0f} %", what, *percent) : std::string();
}

struct Stall {
  std::string_view key;
  double percent = 0;
};

std::optional<Stall> largest_stall(const CallMetrics& call) {
  const auto group = std::ranges::find(call.groups, "stall_metrics", &MetricGroup::name);
  if (group == call.groups.end()) return std::nullopt;
  std::optional<Stall> largest;
  for (const MetricValue& value : group->values) {
    const auto* percent = std::get_if<double>(&value.value);
    if (percent == nullptr || value.key == "stall_not_selected_pct") continue;
    if (!largest || *percent > largest->percent) largest = Stall{value.key, *percent};
  }
  return largest;
}

/// What "stall_long_scoreboard_pct" means for who wrote the kernel.
std::string_view meaning_of(std::string_view stall_key) {
  if (stall_key.starts_with("stall_")) stall_key.remove_prefix(6);
  if (stall_key.ends_with("_pct")) stall_key.remove_suffix(4);
  const std::string_view meaning = trace::meaning_of_stall(stall_key);
  return meaning.empty() ? "for other reasons" : meaning;
}

MetricFinding bound(const CallMetrics& call) {
  Evidence evidence(call);
  const Number compute = evidence.read("speed_of_light", "compute_throughput_pct");
  const Number memory = evidence.read("speed_of_light", "memory_throughput_pct");
  switch (trace::bound_of(compute, memory)) {
    case trace::Bound::compute:
      return evidence.says(
          "compute_bound",
          fmt::format(
              "compute-bound: {:.0f} % of the multiprocessors' peak, "
              "memory at {:.0f} %{}",
              *compute, *memory,
              aside("tensor pipe", evidence.read("pipeline_metrics", "tensor_pipe_active_pct"))));
    case trace::Bound::memory: {
      const Number dram = evidence.read("speed_of_light", "gpu_dram_throughput_pct");
      const Number hits = evidence.read("detailed_metrics", "l2_hit_rate_pct");
      const Number rate = evidence.read("memory_metrics", "dram_total_bandwidth_gb_s");
      if (dram && *dram >= kBusyMemory) {
        return evidence.says(
            "memory_bound",
            fmt::format("memory-bound: {:.0f} % of DRAM bandwidth{}{}; compute at {:.0f} %", *dram,
                        rate ? fmt::format(" ({:.0f} GB/s)", *rate) : "",
                        aside("L2 hit rate", hits), *compute));
      }
      return evidence.says(
          "memory_bound",
          fmt::format("memory-bound: {:.0f} % of the memory system's peak, though not of DRAM{}{}; "
                      "compute at {:.0f} %",
                      *memory, dram ? fmt::format(" ({:.0f} %)", *dram) : "",
                      aside("L2 hit rate", hits), *compute));
    }
    case trace::Bound::balanced:
      return evidence.says("balanced",
                           fmt::format("compute ({:.0f} %) and memory ({:.0f} %) are both near "
                                       "their peaks: neither alone is the limit",
                                       *compute, *memory));
    case trace::Bound::latency: {
      std::string text = fmt::format(
          "latency-bound: neither compute ({:.0f} %) nor memory ({:.0f} %) reaches {:.0f} % of its "
          "peak",
          *compute, *memory, trace::kLatencyBelow);
      return evidence.says("latency_bound", std::move(text));
    }
    case trace::Bound::unknown:
      break;
  }
  return evidence.says("bound_unknown",
                       "what bounds it is not said: the report lacks sm__throughput or "
                       "gpu__compute_memory_throughput (section SpeedOfLight)");
}

std::optional<MetricFinding> small_grid(const CallMetrics& call) {
  Evidence evidence(call);
  const Number waves = evidence.read("occupancy_metrics", "waves_per_sm");
  const Number blocks = evidence.read("occupancy_metrics", "grid_size");
  if (!waves || *waves >= 1) return std::nullopt;
  return evidence.says("small_grid",
                       fmt::format("the longest launch fills {:.2f} of the GPU at once{}: more "
                                   "blocks, or less work in each, would use the rest",
                                   *waves, blocks ? fmt::format(" ({:.0f} blocks)", *blocks) : ""));
}

std::optional<MetricFinding> few_warps(const CallMetrics& call) {
  Evidence evidence(call);
  const Number possible = evidence.read("occupancy_metrics", "theoretical_occupancy_pct");
  const Number reached = evidence.read("occupancy_metrics", "warp_occupancy_pct");
  const std::string limiter = evidence.word("occupancy_metrics", "occupancy_limiter");
  if (!possible || *possible >= kFewWarps || limiter.empty() || limiter == "none") {
    return std::nullopt;
  }
  const Number registers = evidence.read("occupancy_metrics", "registers_per_thread");
  return evidence.says(
      "low_occupancy",
      fmt::format("at most {:.0f} % of the warps fit at once{}, limited by {}{}", *possible,
                  reached ? fmt::format(" ({:.0f} % reached)", *reached) : "", limiter,
                  registers ? fmt::format("; {:.0f} registers per thread", *registers) : ""));
}

std::optional<MetricFinding> waiting(const CallMetrics& call) {
  const auto stall = largest_stall(call);
  constexpr double kWorthSaying = 30;
  if (!stall || stall->percent < kWorthSaying) return std::nullopt;
  return MetricFinding{.rule = "waiting",
                       .text = fmt::format("warps spend {:.0f} % of their time waiting {}",
                                           stall->percent, meaning_of(stall->key)),
                       .numbers = {{std::string(stall->key), stall->percent}}};
}

std::optional<MetricFinding> scattered(const CallMetrics& call) {
  Evidence evidence(call);
  const Number excess = evidence.read("access_pattern_metrics", "l2_excess_frac");
  if (!excess || *excess < kMuchExcess) return std::nullopt;
  const Number loads = evidence.read("access_pattern_metrics", "l1_load_sectors_per_req");
  return evidence.says(
      "uncoalesced",
      fmt::format("{:.0f} % of the sectors moved hold nothing that a thread asked for{}: "
                  "neighbouring threads should read neighbouring addresses",
                  100 * *excess, loads ? fmt::format(" ({:.1f} sectors per load)", *loads) : ""));
}

std::optional<MetricFinding> cut_short(const CallMetrics& call) {
  if (call.launches.size() < static_cast<std::size_t>(kMostLaunches)) return std::nullopt;
  return MetricFinding{
      .rule = "cut_short",
      .text = fmt::format("only the first {} launches of the call were profiled", kMostLaunches),
      .numbers = {{"launches", static_cast<double>(call.launches.size())}}};
}

}  // namespace

std::vector<MetricFinding> find_what_they_say(const CallMetrics& call) {
  std::vector<MetricFinding> findings{bound(call)};
  for (const auto rule : {small_grid, few_warps, waiting, scattered, cut_short}) {
    if (auto found = rule(call)) findings.push_back(*std::move(found));
  }
  return findings;
}

std::optional<MetricFinding> compare_with_time(const CallMetrics& call, Number measured_ns) {
  const Number captured = number_in(call, "timing_metrics", "gpu_time_duration_sum");
  if (!captured || !measured_ns || *measured_ns <= 0) return std::nullopt;
  const double share = *captured / *measured_ns;
  if (share >= kMostTime) return std::nullopt;
  return MetricFinding{
      .rule = "not_captured",
      .text = fmt::format("the profiled launches take {:.1f} us, a call {:.1f} us: {:.0f} % of its "
                          "time is spent elsewhere, in copies, gaps or on the host",
                          *captured / 1e3, *measured_ns / 1e3, 100 * (1 - share)),
      .numbers = {{"captured_ns", *captured}, {"measured_ns", *measured_ns}}};
}

}  // namespace assay::metrics
