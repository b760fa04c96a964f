#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "device/cuda_driver.hpp"
#include "device/cupti_profiler.hpp"
#include "device/profiler_api.hpp"

namespace assay::device {

/// A CUPTI whose GPU exists in memory alone, and the few functions of a driver that go with it. It
/// notes every call by CUPTI's name for it. One at a time: the tables hold plain functions.
class FakeProfiler {
 public:
  FakeProfiler();
  ~FakeProfiler();
  FakeProfiler(const FakeProfiler&) = delete;
  FakeProfiler& operator=(const FakeProfiler&) = delete;
  FakeProfiler(FakeProfiler&&) = delete;
  FakeProfiler& operator=(FakeProfiler&&) = delete;

  [[nodiscard]] static CuptiProfiler table();
  [[nodiscard]] static CudaDriver driver();

  std::vector<std::string> calls;         // of those that have to do with a device
  std::string refused;                    // this call says no
  std::map<std::string, double> metrics;  // that the chip has, and what they count
  std::size_t passes = 1;                 // that it takes
  std::size_t announced = 1;              // that it says it takes
  std::size_t ranges = 1;                 // that it finds in what was counted
  int support = profiler::kSupported;
  bool host_is_open = false;
  bool is_enabled = false;
  std::vector<std::string> configured;  // the metrics
  profiler::SetConfig config;           // as it was last set
};

}  // namespace assay::device
