#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda_driver.hpp"
#include "device/nvml.hpp"

namespace assay::device {

struct FakeGpu {
  std::string name = "Fake GPU";
  std::uint8_t uuid = 1;  // its first byte; the others are 0
  std::uint64_t memory = std::uint64_t{80} << 30U;
  int multiprocessors = 132;
  int major = 9;
  int minor = 0;
  int mig_instances = 0;  // 0: not split
  bool lost = false;
  unsigned long long throttled = 0;
  bool keeps_its_clocks = false;      // refuses to have them locked
  std::optional<unsigned> locked_at;  // megahertz, or what stands for the base clock
  unsigned processes = 0;             // that hold a context on it
  std::vector<std::uint64_t> xids;    // not yet reported
};

/// A host with GPUs that exist in memory alone. One at a time: the tables hold plain functions.
class FakeGpus {
 public:
  explicit FakeGpus(std::vector<FakeGpu> gpus);
  ~FakeGpus();
  FakeGpus(const FakeGpus&) = delete;
  FakeGpus& operator=(const FakeGpus&) = delete;
  FakeGpus(FakeGpus&&) = delete;
  FakeGpus& operator=(FakeGpus&&) = delete;

  [[nodiscard]] FakeGpu& operator[](std::size_t index);
  [[nodiscard]] CudaDriver driver() const;
  [[nodiscard]] Nvml nvml() const;
};

}  // namespace assay::device
