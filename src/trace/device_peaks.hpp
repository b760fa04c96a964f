#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A number format and the unit that computes with it.
enum class MathType : std::uint8_t {
  fp64,         // CUDA cores
  fp64_tensor,  //
  fp32,         // CUDA cores
  tf32,         // the rest on tensor cores
  fp16,
  bf16,
  fp8,
  int8,  // operations, not floating point ones
};

[[nodiscard]] std::string_view to_string(MathType type);
[[nodiscard]] Result<MathType> parse_math_type(std::string_view name);

/// How fast a device can go in one format, without sparsity. Figures "with sparsity" count products
/// that are never computed. Utilisations divided by them come out half as high.
struct DensePeak {
  MathType type;
  double datasheet_flop_per_s;
  double flop_per_sm_cycle;  // times multiprocessors and the clock actually run
};

struct DeviceSpec {
  std::string_view name;
  std::string_view compute_capability;
  double sm_count;
  double bytes_per_s;
  std::span<const DensePeak> peaks;
  std::string_view source;

  [[nodiscard]] const DensePeak* find(MathType type) const;
  /// The dense peak the datasheet states, at the clock it assumes.
  [[nodiscard]] std::optional<double> datasheet_peak(MathType type) const;
  /// The dense peak at a given clock of the multiprocessors.
  [[nodiscard]] std::optional<double> peak_at(MathType type, double hz) const;
};

[[nodiscard]] std::span<const DeviceSpec> known_devices();

/// The device by the name the driver gives it ("NVIDIA H100 80GB HBM3") or its main word ("H100").
/// Null where it is not known.
[[nodiscard]] const DeviceSpec* find_device(std::string_view driver_name);

/// All devices with their dense peaks and where the figures come from.
[[nodiscard]] Table device_table();

}  // namespace assay::trace
