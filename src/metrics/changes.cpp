#include "metrics/changes.hpp"

#include <variant>
#include <vector>

#include "metrics/call_metrics.hpp"
#include "model/device_metrics.hpp"

namespace assay::metrics {

std::vector<MetricChange> compare_calls(const CallMetrics& original, const CallMetrics& custom) {
  std::vector<MetricChange> changes;
  for (const MetricGroup& group : custom.groups) {
    for (const MetricValue& value : group.values) {
      const auto* now = std::get_if<double>(&value.value);
      const auto before = number_in(original, group.name, value.key);
      if (now == nullptr || !before) continue;
      changes.push_back(
          {.group = group.name, .key = value.key, .original = *before, .custom = *now});
    }
  }
  return changes;
}

}  // namespace assay::metrics
