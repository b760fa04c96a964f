#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/device_peaks.hpp"
#include "trace/ncu/report.hpp"

namespace assay::trace {

/// Arithmetic of one kind that a launch did, and how fast the device could have done it.
struct MathPath {
  std::string name;  // "bf16 wgmma", "fp32 CUDA cores"
  MathType type = MathType::fp32;
  bool tensor = false;
  bool sparse = false;                     // counted with the products that sparsity skips
  bool floating = true;                    // integer products are operations, not FLOP
  double flop = 0;                         //
  std::optional<double> peak_flop_per_s;   // of these very instructions, at the clock of the launch
  std::optional<double> dense_flop_per_s;  // of the format's fastest dense instructions, same clock
};

/// What a launch did, in base units. A member is absent where the report lacks the metrics.
struct LaunchWork {
  std::optional<double> duration_ns;
  std::optional<double> sm_hz;  // the clock it ran at
  std::optional<double> dram_bytes;
  std::optional<double> dram_peak_bytes_per_s;  // at the memory clock it ran at
  /// Kinds of arithmetic with at least one operation; empty and `counted` for a launch without.
  std::vector<MathPath> paths;
  bool counted_cuda = false;    // metrics of the CUDA cores were there
  bool counted_tensor = false;  // metrics of the tensor cores were there

  [[nodiscard]] std::optional<double> dram_bytes_per_s() const;
  /// FLOP on tensor cores; nothing where they were not counted.
  [[nodiscard]] std::optional<double> tensor_flop() const;
  /// FLOP on CUDA cores, of all widths; nothing where they were not counted.
  [[nodiscard]] std::optional<double> cuda_flop() const;
  /// FLOP on both; nothing unless both were counted, since half a sum would mislead.
  [[nodiscard]] std::optional<double> flop() const;
  [[nodiscard]] std::optional<double> per_second(std::optional<double> amount) const;
  /// FLOP per byte moved to or from device memory.
  [[nodiscard]] std::optional<double> intensity() const;
};

/// The work of a launch from its counters. It uses only names that exist on Volta and later.
/// `flop_count_*` does not, and would come back empty.
[[nodiscard]] LaunchWork measure_work(const NcuLaunch& launch);

/// The device's name: of the launch's attributes, else of the session.
[[nodiscard]] std::string device_name(const NcuReport& report, const NcuLaunch& launch);

}  // namespace assay::trace
