#include "device/counter_host.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cupti_profiler.hpp"
#include "device/profiler_api.hpp"

namespace assay::device {

Result<CounterHost> CounterHost::open(const CuptiProfiler& cupti, const std::string& chip,
                                      std::span<const std::uint8_t> availability) {
  CounterHost opened(cupti);
  profiler::OpenHost arguments{
      .chip = chip.c_str(), .availability = availability.empty() ? nullptr : availability.data()};
  if (auto done = check(cupti, cupti.open_host(&arguments), "cuptiProfilerHostInitialize"); !done) {
    return fail(ErrorCode::not_found,
                fmt::format("CUPTI does not know the chip {}: {}", chip, done.error().message()));
  }
  opened.host_ = arguments.host;
  return opened;
}

CounterHost::CounterHost(CounterHost&& other) noexcept
    : cupti_(other.cupti_), host_(std::exchange(other.host_, nullptr)) {}

CounterHost& CounterHost::operator=(CounterHost&& other) noexcept {
  std::swap(cupti_, other.cupti_);
  std::swap(host_, other.host_);
  return *this;
}

CounterHost::~CounterHost() {
  if (host_ == nullptr) return;
  profiler::CloseHost arguments{.host = host_};
  cupti_->close_host(&arguments);
}

std::optional<profiler::Properties> CounterHost::find(const std::string& metric) const {
  profiler::Properties arguments{.host = host_, .metric = metric.c_str()};
  if (cupti_->properties(&arguments) != profiler::kSuccess) return std::nullopt;
  return arguments;
}

Result<std::vector<std::string>> CounterHost::names(profiler::MetricType type) const {
  profiler::BaseMetrics arguments{.host = host_, .type = type};
  if (auto done =
          check(*cupti_, cupti_->base_metrics(&arguments), "cuptiProfilerHostGetBaseMetrics");
      !done) {
    return std::unexpected(std::move(done).error());
  }
  return std::vector<std::string>(arguments.names, arguments.names + arguments.count);
}

Result<std::vector<std::uint8_t>> CounterHost::configure(std::span<const std::string> metrics) {
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  profiler::AddMetrics added{.host = host_, .names = names.data(), .count = names.size()};
  auto done = check(*cupti_, cupti_->add_metrics(&added), "cuptiProfilerHostConfigAddMetrics");
  profiler::ConfigSize size{.host = host_};
  if (done) {
    done = check(*cupti_, cupti_->config_size(&size), "cuptiProfilerHostGetConfigImageSize");
  }
  std::vector<std::uint8_t> bytes(size.bytes);
  profiler::Config config{.host = host_, .bytes = bytes.size(), .image = bytes.data()};
  if (done) done = check(*cupti_, cupti_->config(&config), "cuptiProfilerHostGetConfigImage");
  if (!done) return std::unexpected(std::move(done).error());
  return bytes;
}

Result<std::size_t> CounterHost::passes(std::span<const std::uint8_t> configuration) const {
  std::vector<std::uint8_t> bytes(configuration.begin(), configuration.end());
  profiler::Passes arguments{.bytes = bytes.size(), .image = bytes.data()};
  if (auto done = check(*cupti_, cupti_->passes(&arguments), "cuptiProfilerHostGetNumOfPasses");
      !done) {
    return std::unexpected(std::move(done).error());
  }
  return arguments.count;
}

std::optional<double> CounterHost::evaluate(std::span<const std::uint8_t> counted,
                                            const std::string& metric) const {
  const char* name = metric.c_str();
  double value = std::nan("");
  profiler::Evaluate arguments{.host = host_,
                               .image = counted.data(),
                               .bytes = counted.size(),
                               .range = 0,
                               .names = &name,
                               .count = 1,
                               .values = &value};
  if (cupti_->evaluate(&arguments) != profiler::kSuccess || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace assay::device
