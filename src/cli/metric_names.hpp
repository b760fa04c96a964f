#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "metrics/known_metrics.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"

namespace assay::cli {

/// Where the names of metrics come from.
struct MetricNamesOptions {
  std::string executable;           // ours: CUPTI is loaded into a process of its own
  std::string cupti;                // empty: what the linker finds
  std::optional<std::string> chip;  // absent: by each device's capability
};

/// Knows before a job is taken which metrics its device does not have. If CUPTI or the chip is not
/// known, every name passes.
class MetricNames {
 public:
  /// `log` outlives this.
  MetricNames(MetricNamesOptions options, std::vector<DeviceInfo> devices, const Log& log);

  /// What is wrong with the metrics that a request names, on the device that it would run on. If
  /// that can be any device, all of them must have the metrics. The first request that needs the
  /// names reads them.
  [[nodiscard]] std::optional<std::string> mistake_in(const Request& request,
                                                      const std::optional<DeviceId>& device);

 private:
  using Chips = std::vector<std::string>;
  /// Null where they are not known.
  [[nodiscard]] const metrics::KnownMetrics* names_of(const Chips& chips) ASSAY_REQUIRES(mutex_);
  [[nodiscard]] std::vector<std::string> read(const std::string& chip) const;

  const MetricNamesOptions options_;
  const std::vector<DeviceInfo> devices_;
  const Log& log_;
  Mutex mutex_;
  std::map<Chips, std::unique_ptr<const metrics::KnownMetrics>> known_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::cli
