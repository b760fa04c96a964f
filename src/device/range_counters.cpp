#include "device/range_counters.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/do.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "device/counter_host.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/cupti_profiler.hpp"
#include "device/profiler_api.hpp"

namespace assay::device {
namespace {

constexpr int kDevice = 0;              // the only one that runners see
constexpr std::size_t kMostRanges = 4;  // one is expected; more are told from one
constexpr const char* kRange = "call";

/// The profiler of one context, from enabled to disabled.
class RangeProfiler {
 public:
  RangeProfiler(const CuptiProfiler& cupti, const CudaDriver& driver)
      : cupti_(cupti), driver_(driver) {}
  ~RangeProfiler() {
    if (profiler_ == nullptr) return;
    profiler::OfProfiler arguments{.profiler = profiler_};
    cupti_.disable_ranges(&arguments);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  RangeProfiler(RangeProfiler&&) = delete;
  RangeProfiler& operator=(RangeProfiler&&) = delete;

  [[nodiscard]] Result<std::string> find_chip();
  [[nodiscard]] Result<std::vector<std::uint8_t>> find_availability();
  /// `configuration` outlives this: CUPTI reads it in every pass.
  [[nodiscard]] Result<void> set_up(std::span<const std::string> metrics,
                                    std::span<const std::uint8_t> configuration);
  /// Whether the last pass has been made.
  [[nodiscard]] Result<bool> make_pass(const CounterCall& call);
  [[nodiscard]] Result<void> decode();
  [[nodiscard]] std::span<const std::uint8_t> counted() const { return data_; }

 private:
  [[nodiscard]] Result<void> done(profiler::Status status, std::string_view what) const {
    return check(cupti_, status, what);
  }
  [[nodiscard]] Result<void> make_call(const CounterCall& call) {
    return check(driver_, call.make(), "the counted call");
  }

  const CuptiProfiler& cupti_;
  const CudaDriver& driver_;
  void* profiler_ = nullptr;
  std::vector<std::uint8_t> data_;
};

Result<std::string> RangeProfiler::find_chip() {
  ASSAY_DO(done(cupti_.started, "cuptiProfilerInitialize"));
  profiler::DeviceSupport support{.device = kDevice};
  ASSAY_DO(done(cupti_.device_support(&support), "cuptiProfilerDeviceSupported"));
  if (support.all != profiler::kSupported) {
    return fail(ErrorCode::unavailable,
                fmt::format("this GPU cannot be profiled: architecture {}, SLI {}, virtual GPU {}, "
                            "confidential computing {}, mining {}, WSL {} (3 is well)",
                            support.architecture, support.sli, support.virtual_gpu,
                            support.confidential, support.mining, support.subsystem));
  }
  profiler::ChipName chip{.device = kDevice};
  ASSAY_DO(done(cupti_.chip_name(&chip), "cuptiDeviceGetChipName"));
  if (chip.name == nullptr) return fail(ErrorCode::unavailable, "CUPTI does not name the chip");
  return std::string(chip.name);
}

/// This is where a driver that lets only administrators read counters says so. To enable the
/// profiler and to configure it were seen to succeed without the right.
Result<std::vector<std::uint8_t>> RangeProfiler::find_availability() {
  profiler::Availability arguments;
  constexpr const char* kCall = "cuptiProfilerGetCounterAvailability";
  ASSAY_DO(done(cupti_.availability(&arguments), kCall));
  std::vector<std::uint8_t> image(arguments.bytes);
  arguments.image = image.data();
  ASSAY_DO(done(cupti_.availability(&arguments), kCall));
  return image;
}

Result<void> RangeProfiler::set_up(std::span<const std::string> metrics,
                                   std::span<const std::uint8_t> configuration) {
  cuda::Context context = nullptr;
  ASSAY_DO(check(driver_, driver_.primary_context_retain(&context, kDevice),
                 "cuDevicePrimaryCtxRetain"));
  profiler::Enable enabled{.context = context};
  ASSAY_DO(done(cupti_.enable_ranges(&enabled), "cuptiRangeProfilerEnable"));
  profiler_ = enabled.profiler;
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  profiler::DataSize size{.profiler = profiler_,
                          .names = names.data(),
                          .count = names.size(),
                          .most_ranges = kMostRanges,
                          .most_nodes = kMostRanges};
  ASSAY_DO(done(cupti_.data_size(&size), "cuptiRangeProfilerGetCounterDataSize"));
  data_.resize(size.bytes);
  profiler::Data data{.profiler = profiler_, .bytes = data_.size(), .image = data_.data()};
  ASSAY_DO(done(cupti_.initialise_data(&data), "cuptiRangeProfilerCounterDataImageInitialize"));
  profiler::SetConfig config{.profiler = profiler_,
                             .config_bytes = configuration.size(),
                             .config = configuration.data(),
                             .data_bytes = data_.size(),
                             .data = data_.data(),
                             .most_ranges = kMostRanges};
  return done(cupti_.set_config(&config), "cuptiRangeProfilerSetConfig");
}

Result<bool> RangeProfiler::make_pass(const CounterCall& call) {
  ASSAY_DO(check(driver_, call.prepare(), "prepare the counted call"));
  profiler::OfProfiler of{.profiler = profiler_};
  ASSAY_DO(done(cupti_.start_pass(&of), "cuptiRangeProfilerStart"));
  // By the header a range around a kernel needs no other. Yet people say that nothing is counted
  // without one.
  profiler::Push push{.profiler = profiler_, .name = kRange};
  const bool is_pushed = cupti_.push_range(&push) == profiler::kSuccess;
  auto made = make_call(call);
  if (is_pushed) {
    auto popped = done(cupti_.pop_range(&of), "cuptiRangeProfilerPopRange");
    if (made) made = std::move(popped);
  }
  profiler::Stop stop{.profiler = profiler_};
  auto stopped = done(cupti_.stop_pass(&stop), "cuptiRangeProfilerStop");
  if (!made) return std::unexpected(std::move(made).error());
  if (!stopped) return std::unexpected(std::move(stopped).error());
  return stop.all_passes_submitted != 0;
}

Result<void> RangeProfiler::decode() {
  profiler::Decode decoded{.profiler = profiler_};
  ASSAY_DO(done(cupti_.decode(&decoded), "cuptiRangeProfilerDecodeData"));
  profiler::DataInfo info{.image = data_.data(), .bytes = data_.size()};
  ASSAY_DO(done(cupti_.data_info(&info), "cuptiRangeProfilerGetCounterDataInfo"));
  if (info.ranges == 1 && decoded.dropped == 0) return {};
  return fail(ErrorCode::unavailable,
              fmt::format("CUPTI counted {} ranges and dropped {}, where there is one kernel",
                          info.ranges, decoded.dropped));
}

std::vector<std::string> known(const CounterHost& host, std::span<const std::string> metrics) {
  std::vector<std::string> found;
  for (const std::string& metric : metrics) {
    if (host.find(metric)) found.push_back(metric);
  }
  return found;
}

}  // namespace

Result<CounterReading> read_counters(const CuptiProfiler& cupti, const CudaDriver& driver,
                                     std::span<const std::string> metrics,
                                     const CounterCall& call) {
  std::vector<std::uint8_t> configuration;  // before the profiler, which reads it to its end
  RangeProfiler ranges(cupti, driver);
  ASSAY_TRY(const std::string chip, ranges.find_chip());
  ASSAY_TRY(const auto availability, ranges.find_availability());
  ASSAY_TRY(CounterHost host, CounterHost::open(cupti, chip, availability));
  const std::vector<std::string> names = known(host, metrics);
  if (names.empty()) {
    return fail(ErrorCode::unavailable, fmt::format("{} has none of the metrics", chip));
  }
  ASSAY_TRY(configuration, host.configure(names));
  CounterReading reading{.chip = chip, .passes = 0, .values = {}};
  ASSAY_TRY(reading.passes, host.passes(configuration));
  ASSAY_DO(ranges.set_up(names, configuration));
  bool is_last = false;
  for (std::size_t pass = 0; !is_last; ++pass) {
    if (pass > reading.passes) {
      return fail(ErrorCode::unavailable,
                  fmt::format("CUPTI wants more than the {} passes it announced", reading.passes));
    }
    ASSAY_TRY(is_last, ranges.make_pass(call));
  }
  ASSAY_DO(ranges.decode());
  for (const std::string& name : names) {
    if (const auto value = host.evaluate(ranges.counted(), name)) {
      reading.values.push_back({.metric = name, .value = *value});
    }
  }
  return reading;
}

}  // namespace assay::device
