#include "tracer/settings.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include "tracer/clock.hpp"

namespace assay::tracer {
namespace {

std::string_view variable_text(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string_view() : value;
}

/// As torchrun, Open MPI, MPICH, PMIx and Slurm tell it. Theirs comes first who started last.
std::string_view rank_of_process() {
  for (const char* variable :
       {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const std::string_view rank = variable_text(variable); !rank.empty()) return rank;
  }
  return {};
}

/// Whether the list, apart by commas, holds it.
bool holds(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const std::string_view first = list.substr(0, list.find(','));
    if (first == item) return true;
    list.remove_prefix(std::min(list.size(), first.size() + 1));
  }
  return false;
}

std::optional<std::int64_t> number_of(const char* variable) {
  const std::string_view text = variable_text(variable);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<std::chrono::milliseconds> milliseconds_of(const char* variable) {
  const auto value = number_of(variable);
  if (!value) return std::nullopt;
  return std::chrono::milliseconds(*value);
}

}  // namespace

std::optional<Settings> settings_of_environment() {
  Settings out{.folder = variable_text(kFolderVariable)};
  if (out.folder.empty()) return std::nullopt;
  out.rank = rank_of_process();
  const std::string_view ranks = variable_text(kRanksVariable);
  if (!ranks.empty() && !out.rank.empty() && !holds(ranks, out.rank)) return std::nullopt;
  out.epoch = number_of(kEpochVariable).value_or(wall_clock());
  out.cupti = variable_text(kCuptiVariable);
  constexpr std::int64_t kMostMegabytes = 1 << 16;
  if (const auto megabytes = number_of(kBufferVariable); megabytes && *megabytes > 0) {
    out.buffer_bytes = static_cast<std::size_t>(std::min(*megabytes, kMostMegabytes)) << 20U;
  }
  if (const auto period = milliseconds_of(kPeriodVariable); period && period->count() > 0) {
    out.period = *period;
  }
  out.range = variable_text(kRangeVariable);
  out.profiler_calls = !variable_text(kProfilerVariable).empty();
  out.delay = milliseconds_of(kDelayVariable);
  out.duration = milliseconds_of(kDurationVariable);
  return out;
}

}  // namespace assay::tracer
