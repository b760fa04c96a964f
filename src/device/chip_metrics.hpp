#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/counter_host.hpp"
#include "device/cupti_profiler.hpp"

namespace assay::device {

/// What a metric is, by CUPTI's own words.
struct MetricProperties {
  std::string description;
  std::string hardware_unit;
  std::string unit;
};

/// Which metrics a chip has and what they cost, from the half of CUPTI that needs neither a GPU nor
/// a driver.
class ChipMetrics {
 public:
  /// Opens CUPTI: the file `cupti` unless it is empty, else what the linker finds. Fails with
  /// `not_found` where there is none, or where it does not know the chip.
  [[nodiscard]] static Result<ChipMetrics> open(const std::string& cupti, const std::string& chip);
  /// The chips that CUPTI knows ("GH100"), sorted.
  [[nodiscard]] static Result<std::vector<std::string>> chips(const std::string& cupti);

  /// Names without a rollup ("sm__cycles_active"), sorted.
  [[nodiscard]] Result<std::vector<std::string>> names() const;
  /// With or without a rollup. Fails with `not_found` for a name that the chip does not have.
  [[nodiscard]] Result<MetricProperties> describe(const std::string& metric) const;
  /// How often a kernel is run again to collect all of them at once. Fails with `not_found` where
  /// the chip does not have one.
  [[nodiscard]] Result<std::size_t> passes(std::span<const std::string> metrics) const;

 private:
  ChipMetrics(std::unique_ptr<const CuptiProfiler> cupti, std::string chip, CounterHost host);

  std::unique_ptr<const CuptiProfiler> cupti_;  // where it stays: the host points to it
  std::string chip_;
  CounterHost host_;
};

}  // namespace assay::device
