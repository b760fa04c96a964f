#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::tracer {

/// A GPU as the driver tells it; 0 where it does not.
struct Gpu {
  std::int64_t ordinal = 0;
  std::string name;
  std::string uuid;  // as nvidia-smi writes it, without "GPU-"
  std::int64_t memory_bytes = 0;
  std::int64_t memory_bandwidth = 0;  // bytes a second, of its clock and its bus
  std::int64_t clock_hz = 0;
  std::int64_t multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t major = 0;
  std::int64_t minor = 0;
};

/// Those that this process may use. None before CUDA is initialised.
[[nodiscard]] std::vector<Gpu> gpus_of_process();

}  // namespace assay::tracer
