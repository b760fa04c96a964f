#include "cli/metric_sets.hpp"

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "model/device_metrics.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

Result<std::vector<std::string>> read_names(const wire::Value& list) {
  std::vector<std::string> names;
  for (const wire::Value& name : list.elements()) {
    if (!is_profiler_name(name.text())) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("'{}' cannot be a name of Nsight Compute", name.text()));
    }
    names.emplace_back(name.text());
  }
  if (names.empty()) return fail(ErrorCode::invalid_argument, "must be a list of names");
  return names;
}

Result<MetricsWanted> read_set(const wire::Value& set) {
  MetricsWanted wanted;
  for (const auto& [key, list] : set.members()) {
    auto* const into = key == "sets"       ? &wanted.sets
                       : key == "sections" ? &wanted.sections
                       : key == "metrics"  ? &wanted.metrics
                                           : nullptr;
    if (into == nullptr) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("has no '{}'; it has sets, sections and metrics", key));
    }
    auto names = read_names(list);
    if (!names) return std::unexpected(std::move(names).error().while_doing(key));
    *into = *std::move(names);
  }
  if (!wanted.any()) return fail(ErrorCode::invalid_argument, "names nothing to collect");
  return wanted;
}

}  // namespace

Result<MetricSets> read_metric_sets(const std::optional<std::filesystem::path>& file) {
  MetricSets sets;
  if (!file) return sets;
  const std::string place = "--metric-sets " + file->string();
  const auto text = read_file(*file);
  if (!text) return std::unexpected(Error(text.error()).while_doing(place));
  const auto parsed = wire::Value::parse(*text);
  if (!parsed || parsed->members().empty()) {
    return fail(ErrorCode::invalid_argument,
                place + ": must be a JSON object of sets: {\"memory\": {\"sections\": [...]}}");
  }
  for (const auto& [name, set] : parsed->members()) {
    auto read = is_profiler_name(name)
                    ? read_set(set)
                    : Result<MetricsWanted>(fail(ErrorCode::invalid_argument, "is no name"));
    if (!read) {
      return std::unexpected(
          std::move(read).error().while_doing(fmt::format("{}: set '{}'", place, name)));
    }
    sets.emplace(name, *std::move(read));
  }
  return sets;
}

}  // namespace assay::cli
