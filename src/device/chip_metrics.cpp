#include "device/chip_metrics.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/dynamic_library.hpp"

namespace assay::device {
namespace {

// The layouts of cupti_profiler_host.h. Every call has one argument, whose first field is its size.
constexpr int kRangeProfiler = 0;
constexpr std::array kMetricTypes{0, 1, 2};  // counters, ratios, throughputs

struct Start {
  std::size_t size = sizeof(Start);
  void* reserved = nullptr;
};
struct Chips {
  std::size_t size = sizeof(Chips);
  void* reserved = nullptr;
  std::size_t count = 0;
  const char* const* names = nullptr;
};
struct Initialise {
  std::size_t size = sizeof(Initialise);
  void* reserved = nullptr;
  int profiler = kRangeProfiler;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  void* host = nullptr;
};
struct Deinitialise {
  std::size_t size = sizeof(Deinitialise);
  void* reserved = nullptr;
  void* host = nullptr;
};
struct BaseMetrics {
  std::size_t size = sizeof(BaseMetrics);
  void* reserved = nullptr;
  void* host = nullptr;
  int type = 0;
  const char** names = nullptr;
  std::size_t count = 0;
};
struct Properties {
  // Up to the last field: what follows it is padding, and counts as another field.
  std::size_t size = offsetof(Properties, type) + sizeof(int);
  void* reserved = nullptr;
  void* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;
  const char* hardware_unit = nullptr;
  const char* unit = nullptr;
  int type = 0;
};
struct AddMetrics {
  std::size_t size = sizeof(AddMetrics);
  void* reserved = nullptr;
  void* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};
struct ImageSize {
  std::size_t size = sizeof(ImageSize);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
};
struct Image {
  std::size_t size = sizeof(Image);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct Passes {
  std::size_t size = sizeof(Passes);
  void* reserved = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t count = 0;
};

using Status = int;
template <class Arguments>
using Call = Status (*)(Arguments*);

}  // namespace

struct ChipMetrics::Library {
  Call<Start> start = nullptr;
  Call<Chips> chips = nullptr;
  Call<Initialise> initialise = nullptr;
  Call<Deinitialise> deinitialise = nullptr;
  Call<BaseMetrics> base_metrics = nullptr;
  Call<Properties> properties = nullptr;
  Call<AddMetrics> add_metrics = nullptr;
  Call<ImageSize> image_size = nullptr;
  Call<Image> image = nullptr;
  Call<Passes> passes = nullptr;

  [[nodiscard]] static Result<Library> open(const std::string& cupti) {
    Library l;
    const std::array symbols = {symbol("cuptiProfilerInitialize", l.start),
                                symbol("cuptiProfilerHostGetSupportedChips", l.chips),
                                symbol("cuptiProfilerHostInitialize", l.initialise),
                                symbol("cuptiProfilerHostDeinitialize", l.deinitialise),
                                symbol("cuptiProfilerHostGetBaseMetrics", l.base_metrics),
                                symbol("cuptiProfilerHostGetMetricProperties", l.properties),
                                symbol("cuptiProfilerHostConfigAddMetrics", l.add_metrics),
                                symbol("cuptiProfilerHostGetConfigImageSize", l.image_size),
                                symbol("cuptiProfilerHostGetConfigImage", l.image),
                                symbol("cuptiProfilerHostGetNumOfPasses", l.passes)};
    // CUPTI opens it by its bare name, which finds it only where it is open already.
    const std::string beside =
        (std::filesystem::path(cupti).parent_path() / "libnvperf_host.so").string();
    (void)open_library(std::array{beside}, {});
    std::vector<std::string> names;
    if (!cupti.empty()) names.push_back(cupti);
    names.insert(names.end(), {"libcupti.so.13", "libcupti.so.12", "libcupti.so"});
    if (auto opened = open_library(names, symbols); !opened) {
      return std::unexpected(std::move(opened).error());
    }
    // Says no where there is no driver, and what follows works nevertheless.
    Start arguments;
    l.start(&arguments);
    return l;
  }
};

ChipMetrics::ChipMetrics(std::shared_ptr<const Library> library, std::string chip)
    : library_(std::move(library)), chip_(std::move(chip)) {}

ChipMetrics::ChipMetrics(ChipMetrics&& other) noexcept
    : library_(std::move(other.library_)),
      chip_(std::move(other.chip_)),
      host_(std::exchange(other.host_, nullptr)) {}

ChipMetrics& ChipMetrics::operator=(ChipMetrics&& other) noexcept {
  std::swap(library_, other.library_);
  std::swap(chip_, other.chip_);
  std::swap(host_, other.host_);
  return *this;
}

ChipMetrics::~ChipMetrics() {
  if (host_ == nullptr) return;
  Deinitialise arguments{.host = host_};
  library_->deinitialise(&arguments);
}

Result<void> ChipMetrics::renew() const {
  if (host_ != nullptr) {
    Deinitialise old{.host = std::exchange(host_, nullptr)};
    library_->deinitialise(&old);
  }
  Initialise arguments{.chip = chip_.c_str()};
  if (library_->initialise(&arguments) != 0) {
    return fail(ErrorCode::not_found, fmt::format("CUPTI does not know the chip {}", chip_));
  }
  host_ = arguments.host;
  return {};
}

Result<ChipMetrics> ChipMetrics::open(const std::string& cupti, const std::string& chip) {
  ASSAY_TRY(auto library, Library::open(cupti));
  std::string name = chip;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  ChipMetrics metrics(std::make_shared<const Library>(library), std::move(name));
  if (auto made = metrics.renew(); !made) return std::unexpected(made.error());
  return metrics;
}

Result<std::vector<std::string>> ChipMetrics::chips(const std::string& cupti) {
  ASSAY_TRY(const auto library, Library::open(cupti));
  Chips arguments;
  if (library.chips(&arguments) != 0) {
    return fail(ErrorCode::unavailable, "CUPTI does not say which chips it knows");
  }
  std::vector<std::string> names(arguments.names, arguments.names + arguments.count);
  std::ranges::sort(names);
  return names;
}

Result<std::vector<std::string>> ChipMetrics::names() const {
  std::vector<std::string> all;
  for (const int type : kMetricTypes) {
    BaseMetrics arguments{.host = host_, .type = type};
    if (library_->base_metrics(&arguments) != 0) {
      return fail(ErrorCode::unavailable, "CUPTI does not list the metrics of " + chip_);
    }
    all.insert(all.end(), arguments.names, arguments.names + arguments.count);
  }
  std::ranges::sort(all);
  return all;
}

Result<MetricProperties> ChipMetrics::describe(const std::string& metric) const {
  Properties arguments{.host = host_, .metric = metric.c_str()};
  if (library_->properties(&arguments) != 0) {
    return fail(ErrorCode::not_found, fmt::format("{} has no metric {}", chip_, metric));
  }
  const auto text = [](const char* words) { return std::string(words == nullptr ? "" : words); };
  return MetricProperties{.description = text(arguments.description),
                          .hardware_unit = text(arguments.hardware_unit),
                          .unit = text(arguments.unit)};
}

Result<std::size_t> ChipMetrics::passes(std::span<const std::string> metrics) const {
  for (const std::string& metric : metrics) {
    if (auto known = describe(metric); !known) return std::unexpected(known.error());
  }
  if (auto made = renew(); !made) return std::unexpected(made.error());
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  AddMetrics added{.host = host_, .names = names.data(), .count = names.size()};
  if (library_->add_metrics(&added) != 0) {
    return fail(ErrorCode::not_found,
                "one of the metrics cannot be collected: name each with its rollup, as in "
                "sm__cycles_active.avg");
  }
  ImageSize size{.host = host_};
  if (library_->image_size(&size) != 0) {
    return fail(ErrorCode::unavailable, "CUPTI makes no configuration of these metrics");
  }
  std::vector<std::uint8_t> bytes(size.bytes);
  Image image{.host = host_, .bytes = bytes.size(), .image = bytes.data()};
  Passes passes{.bytes = bytes.size(), .image = bytes.data()};
  if (library_->image(&image) != 0 || library_->passes(&passes) != 0) {
    return fail(ErrorCode::unavailable, "CUPTI makes no configuration of these metrics");
  }
  return passes.count;
}

}  // namespace assay::device
