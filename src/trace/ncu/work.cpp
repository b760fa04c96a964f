#include "trace/ncu/work.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "trace/device_peaks.hpp"
#include "trace/ncu/report.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kTensorPrefix = "sm__ops_path_tensor_";

std::optional<double> product(std::optional<double> first, std::optional<double> second) {
  if (!first || !second) return std::nullopt;
  return *first * *second;
}

std::optional<double> first_of(const NcuLaunch& launch,
                               std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto value = launch.number(name)) return value;
  }
  return std::nullopt;
}

/// The count of a counter over the launch, from whichever of its rollups was collected.
std::optional<double> total(const NcuLaunch& launch, std::string_view counter,
                            std::string_view unit) {
  if (const auto sum = launch.number(fmt::format("{}.sum", counter))) return sum;
  const auto seconds = product(launch.number("gpu__time_duration.sum"), 1e-9);
  if (const auto rate = launch.number(fmt::format("{}.sum.per_second", counter))) {
    return product(rate, seconds);
  }
  const auto per_cycle = launch.number(fmt::format("{}.sum.per_cycle_elapsed", counter));
  const auto hz = launch.number(fmt::format("{}__cycles_elapsed.avg.per_second", unit));
  return product(product(per_cycle, hz), seconds);
}

/// The peak of a counter per second, at the clock of the launch.
std::optional<double> peak_rate(const NcuLaunch& launch, std::string_view counter) {
  if (const auto peak =
          launch.number(fmt::format("{}.sum.peak_sustained_elapsed.per_second", counter))) {
    return peak;
  }
  return product(
      launch.number(fmt::format("{}.sum.peak_sustained", counter)),
      first_of(launch, {"sm__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second",
                        "gpc__cycles_elapsed.avg.per_second"}));
}

struct CudaWidth {
  std::string_view prefix;
  std::string_view name;
  MathType type;
  double flop_per_add;  // half precision instructions work on pairs
};
constexpr std::array kCudaWidths = {
    CudaWidth{.prefix = "d", .name = "fp64 CUDA cores", .type = MathType::fp64, .flop_per_add = 1},
    CudaWidth{.prefix = "f", .name = "fp32 CUDA cores", .type = MathType::fp32, .flop_per_add = 1},
    CudaWidth{.prefix = "h", .name = "fp16 CUDA cores", .type = MathType::fp16, .flop_per_add = 2},
};

/// Executed instructions of one kind, under either of the units that count them.
std::optional<double> instructions(const NcuLaunch& launch, std::string_view prefix,
                                   std::string_view operation) {
  for (const std::string_view unit : {"smsp", "sm"}) {
    const std::string counter =
        fmt::format("{}__sass_thread_inst_executed_op_{}{}_pred_on", unit, prefix, operation);
    if (const auto count = total(launch, counter, unit)) return count;
  }
  return std::nullopt;
}

double threads_of(const NcuLaunch& launch) {
  if (!launch.grid || !launch.block) return 0;
  double threads = 1;
  for (const auto& shape : {*launch.grid, *launch.block}) {
    for (const std::uint64_t extent : shape) threads *= static_cast<double>(extent);
  }
  return threads;
}

/// Compilers move constants with HFMA2, which multiplies nothing. A kernel that computes in half
/// precision adds or multiplies too, or does most of its work in it, and more than once or twice in
/// every thread: `y = 2 * x + 1` over floats has a move for every multiplication.
bool only_moves(const CudaWidth& width, const NcuLaunch& launch, std::optional<double> adds,
                std::optional<double> products, double fused, double flop, const LaunchWork& work) {
  if (width.type != MathType::fp16 || adds.value_or(0) > 0 || products.value_or(0) > 0)
    return false;
  constexpr double kMovesPerThread = 2;
  double others = 0;
  for (const MathPath& path : work.paths) others += path.flop;
  return others > 0 && (flop < others || fused <= kMovesPerThread * threads_of(launch));
}

/// Where the code says which HFMA2 move constants, those are taken out; what rounding leaves is
/// nothing.
std::optional<double> without_moves(const CudaWidth& width, const NcuLaunch& launch,
                                    std::optional<double> fused) {
  if (!fused || width.type != MathType::fp16 || !launch.half_moves) return fused;
  const double left = *fused - *launch.half_moves;
  return left < 1e-3 * *fused ? 0 : left;
}

void add_cuda_paths(const NcuLaunch& launch, LaunchWork& work) {
  for (const CudaWidth& width : kCudaWidths) {
    const auto adds = instructions(launch, width.prefix, "add");
    const auto products = instructions(launch, width.prefix, "mul");
    const auto fused = without_moves(width, launch, instructions(launch, width.prefix, "fma"));
    if (!adds && !products && !fused) continue;
    if (width.type == MathType::fp32) work.counted_cuda = true;
    const double flop =
        width.flop_per_add * (adds.value_or(0) + products.value_or(0) + 2 * fused.value_or(0));
    if (flop <= 0) continue;
    const bool known = launch.half_moves.has_value();
    if (!known && only_moves(width, launch, adds, products, fused.value_or(0), flop, work)) {
      continue;
    }
    const auto peak = product(
        peak_rate(launch,
                  fmt::format("sm__sass_thread_inst_executed_op_{}fma_pred_on", width.prefix)),
        2 * width.flop_per_add);
    work.paths.push_back({.name = std::string(width.name),
                          .type = width.type,
                          .flop = flop,
                          .peak_flop_per_s = peak,
                          .dense_flop_per_s = peak});
  }
}

/// A tensor core counter by its name:
/// `sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off`, or without the instruction, or
/// without both it and sparsity.
struct TensorCounter {
  std::string name;
  std::string_view instruction;  // "hgmma"; empty: of all instructions
  std::string_view source;       // "bf16"
  bool names_sparsity = false;
  bool sparse = false;
};

std::string_view after(std::string_view text, std::string_view marker) {
  const std::size_t at = text.find(marker);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + marker.size());
}

TensorCounter parse_counter(std::string_view name) {
  TensorCounter counter{.name = std::string(name)};
  const std::string_view rest = name.substr(kTensorPrefix.size());
  if (rest.starts_with("op_"))
    counter.instruction = after(rest, "op_").substr(0, rest.find('_', 3) - 3);
  const std::string_view source = after(rest, "src_");
  counter.source = source.substr(0, source.find('_'));
  counter.names_sparsity = rest.find("sparsity_") != std::string_view::npos;
  counter.sparse = rest.ends_with("sparsity_on");
  return counter;
}

std::optional<MathType> math_type_of(std::string_view source) {
  if (source == "bf16") return MathType::bf16;
  if (source == "fp16") return MathType::fp16;
  if (source == "tf32") return MathType::tf32;
  if (source == "fp8") return MathType::fp8;
  if (source == "int8") return MathType::int8;
  if (source == "fp64") return MathType::fp64_tensor;
  return std::nullopt;
}

/// `hgmma` and its kin are the warp-group instructions of Hopper, the others those of one warp,
/// which reach two thirds of the peak there.
std::string path_name(const TensorCounter& counter) {
  std::string name(counter.source);
  if (counter.instruction.ends_with("gmma")) {
    name += " wgmma";
  } else {
    name += counter.instruction.empty() ? " tensor" : " mma.sync";
  }
  return counter.sparse ? name + " sparse" : name;
}

std::vector<TensorCounter> tensor_counters(const NcuLaunch& launch) {
  std::vector<TensorCounter> counters;
  auto metric = std::ranges::lower_bound(launch.metrics, kTensorPrefix, {}, &NcuMetric::name);
  for (; metric != launch.metrics.end() && metric->name.starts_with(kTensorPrefix); ++metric) {
    const std::string_view base = std::string_view(metric->name).substr(0, metric->name.find('.'));
    if (!counters.empty() && counters.back().name == base) continue;
    counters.push_back(parse_counter(base));
  }
  // A counter of all instructions repeats what the counters of each have; its peak is the sparse
  // one, which would halve every utilisation.
  const auto repeats = [&counters](const TensorCounter& counter) {
    return !counter.names_sparsity && counter.instruction.empty() &&
           std::ranges::any_of(counters, [&counter](const TensorCounter& other) {
             return other.source == counter.source && other.names_sparsity;
           });
  };
  std::vector<TensorCounter> kept;
  std::ranges::copy_if(counters, std::back_inserter(kept),
                       [&](const TensorCounter& counter) { return !repeats(counter); });
  return kept;
}

void add_tensor_paths(const NcuLaunch& launch, LaunchWork& work) {
  const std::vector<TensorCounter> counters = tensor_counters(launch);
  const auto dense_peak = [&](std::string_view source) {
    std::optional<double> best;
    for (const TensorCounter& counter : counters) {
      if (counter.source != source || counter.sparse) continue;
      const auto peak = peak_rate(launch, counter.name);
      if (peak && peak > best) best = peak;
    }
    return best;
  };
  for (const TensorCounter& counter : counters) {
    const auto count = total(launch, counter.name, "sm");
    if (!count) continue;
    work.counted_tensor = true;
    const auto type = math_type_of(counter.source);
    if (!type || *count <= 0) continue;
    work.paths.push_back({.name = path_name(counter),
                          .type = *type,
                          .tensor = true,
                          .sparse = counter.sparse,
                          .floating = *type != MathType::int8,
                          .flop = *count,
                          .peak_flop_per_s = peak_rate(launch, counter.name),
                          .dense_flop_per_s = dense_peak(counter.source)});
  }
}

/// Peaks from the device table, at the clock of the launch, where the report has none.
void fill_peaks(const NcuLaunch& launch, LaunchWork& work) {
  const DeviceSpec* device = find_device(launch.text("device__attribute_display_name"));
  if (device == nullptr || !work.sm_hz) return;
  for (MathPath& path : work.paths) {
    if (!path.dense_flop_per_s) path.dense_flop_per_s = device->peak_at(path.type, *work.sm_hz);
    if (!path.peak_flop_per_s) path.peak_flop_per_s = path.dense_flop_per_s;
  }
  if (!work.dram_peak_bytes_per_s) work.dram_peak_bytes_per_s = device->bytes_per_s;
}

std::optional<double> sum_of(const std::vector<MathPath>& paths, bool tensor) {
  double sum = 0;
  for (const MathPath& path : paths) {
    if (path.tensor == tensor && path.floating) sum += path.flop;
  }
  return sum;
}

}  // namespace

std::optional<double> LaunchWork::per_second(std::optional<double> amount) const {
  if (!amount || !duration_ns || *duration_ns <= 0) return std::nullopt;
  return *amount / (*duration_ns * 1e-9);
}

std::optional<double> LaunchWork::dram_bytes_per_s() const {
  return per_second(dram_bytes);
}

std::optional<double> LaunchWork::tensor_flop() const {
  return counted_tensor ? sum_of(paths, true) : std::nullopt;
}

std::optional<double> LaunchWork::cuda_flop() const {
  return counted_cuda ? sum_of(paths, false) : std::nullopt;
}

std::optional<double> LaunchWork::flop() const {
  const auto tensor = tensor_flop();
  const auto cuda = cuda_flop();
  if (!tensor || !cuda) return std::nullopt;
  return *tensor + *cuda;
}

std::optional<double> LaunchWork::intensity() const {
  const auto work = flop();
  if (!work || !dram_bytes || *dram_bytes <= 0) return std::nullopt;
  return *work / *dram_bytes;
}

LaunchWork measure_work(const NcuLaunch& launch) {
  LaunchWork work;
  work.duration_ns = launch.number("gpu__time_duration.sum");
  work.sm_hz =
      first_of(launch, {"sm__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second",
                        "gpc__cycles_elapsed.avg.per_second"});
  work.dram_bytes = launch.number("dram__bytes.sum");
  const auto read = launch.number("dram__bytes_read.sum");
  const auto written = launch.number("dram__bytes_write.sum");
  if (!work.dram_bytes && read && written) work.dram_bytes = *read + *written;
  if (!work.dram_bytes) work.dram_bytes = total(launch, "dram__bytes", "dram");
  work.dram_peak_bytes_per_s = product(launch.number("dram__bytes.sum.peak_sustained"),
                                       launch.number("dram__cycles_elapsed.avg.per_second"));
  add_cuda_paths(launch, work);
  add_tensor_paths(launch, work);
  // Sets that do not count tensor operations may still say that the tensor pipe was never used.
  if (first_of(launch, {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                        "sm__inst_executed_pipe_tensor.sum"}) == 0.0) {
    work.counted_tensor = true;
  }
  fill_peaks(launch, work);
  return work;
}

std::string device_name(const NcuReport& report, const NcuLaunch& launch) {
  const std::string_view attribute = launch.text("device__attribute_display_name");
  if (!attribute.empty()) return std::string(attribute);
  for (const NcuDevice& device : report.session.devices) {
    if (device.id == launch.device) return device.name;
  }
  return {};
}

}  // namespace assay::trace
