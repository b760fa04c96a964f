#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/cupti_profiler.hpp"
#include "device/profiler_api.hpp"

namespace assay::device {

/// The half of CUPTI's profiler that knows what a chip can count. It turns names of metrics into a
/// configuration, and what was counted into values. Needs neither a GPU nor a driver.
class CounterHost {
 public:
  /// `availability`: what the device lets be counted; empty: all that the chip has. `cupti`
  /// outlives this. Fails with `not_found` where CUPTI does not know the chip.
  [[nodiscard]] static Result<CounterHost> open(const CuptiProfiler& cupti, const std::string& chip,
                                                std::span<const std::uint8_t> availability = {});
  CounterHost(CounterHost&& other) noexcept;
  CounterHost& operator=(CounterHost&& other) noexcept;
  CounterHost(const CounterHost&) = delete;
  CounterHost& operator=(const CounterHost&) = delete;
  ~CounterHost();

  /// With or without a rollup. Nothing for a name that the chip does not have.
  [[nodiscard]] std::optional<profiler::Properties> find(const std::string& metric) const;
  /// Names without a rollup, of one type.
  [[nodiscard]] Result<std::vector<std::string>> names(profiler::MetricType type) const;

  /// What the device must be set up with to count these. Can be asked once: CUPTI would add the
  /// metrics of a second call to those of the first.
  [[nodiscard]] Result<std::vector<std::uint8_t>> configure(std::span<const std::string> metrics);
  /// How often a call is made to count all that the configuration holds.
  [[nodiscard]] Result<std::size_t> passes(std::span<const std::uint8_t> configuration) const;
  /// One value of the first range that was counted; nothing where CUPTI gives no number.
  [[nodiscard]] std::optional<double> evaluate(std::span<const std::uint8_t> counted,
                                               const std::string& metric) const;

 private:
  explicit CounterHost(const CuptiProfiler& cupti) : cupti_(&cupti) {}

  const CuptiProfiler* cupti_;
  void* host_ = nullptr;  // CUPTI's own; null once moved from
};

}  // namespace assay::device
