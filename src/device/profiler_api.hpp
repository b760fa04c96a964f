#pragma once

#include <cstddef>
#include <cstdint>

// What we use of CUPTI's host, target and range profiler interfaces, declared here so that no CUDA
// header is needed to build. Every call has one argument, whose first field is its size up to the
// last field that this version knows: what follows it is padding, and would count as another field.
// Layouts are those of CUPTI 12.8 to 13.0 on 64-bit Linux. tests/support/profiler_layout.cpp
// compares them with NVIDIA's headers.
namespace assay::device::profiler {

using Status = int;  // CUptiResult
template <class Arguments>
using Call = Status (*)(Arguments*);

inline constexpr Status kSuccess = 0;

inline constexpr int kRangeProfiler = 0;  // CUPTI_PROFILER_TYPE_RANGE_PROFILER
inline constexpr int kSupported = 3;      // CUPTI_PROFILER_CONFIGURATION_SUPPORTED

enum class MetricType : int { counter = 0, ratio = 1, throughput = 2 };

inline constexpr int kRangeOfEachKernel = 1;  // CUPTI_AutoRange
inline constexpr int kReplayByCaller = 3;     // CUPTI_UserReplay

struct Start {  // CUpti_Profiler_Initialize_Params
  std::size_t size = sizeof(Start);
  void* reserved = nullptr;
};

struct DeviceSupport {  // CUpti_Profiler_DeviceSupported_Params
  std::size_t size = offsetof(DeviceSupport, interface) + sizeof(int);
  void* reserved = nullptr;
  int device = 0;
  int all = 0;  // these are kSupported where nothing stands in the way
  int architecture = 0;
  int sli = 0;
  int virtual_gpu = 0;
  int confidential = 0;
  int mining = 0;
  int subsystem = 0;
  int interface = 0;  // CUPTI_PROFILER_RANGE_PROFILING
};

struct ChipName {  // CUpti_Device_GetChipName_Params
  std::size_t size = sizeof(ChipName);
  void* reserved = nullptr;
  std::size_t device = 0;
  const char* name = nullptr;
};

struct Availability {  // CUpti_Profiler_GetCounterAvailability_Params
  std::size_t size = sizeof(Availability);
  void* reserved = nullptr;
  void* context = nullptr;  // null: the current one
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;  // null: only the size is asked for
};

struct Chips {  // CUpti_Profiler_Host_GetSupportedChips_Params
  std::size_t size = sizeof(Chips);
  void* reserved = nullptr;
  std::size_t count = 0;
  const char* const* names = nullptr;
};

struct OpenHost {  // CUpti_Profiler_Host_Initialize_Params
  std::size_t size = sizeof(OpenHost);
  void* reserved = nullptr;
  int profiler = kRangeProfiler;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  void* host = nullptr;
};

struct CloseHost {  // CUpti_Profiler_Host_Deinitialize_Params
  std::size_t size = sizeof(CloseHost);
  void* reserved = nullptr;
  void* host = nullptr;
};

struct BaseMetrics {  // CUpti_Profiler_Host_GetBaseMetrics_Params
  std::size_t size = sizeof(BaseMetrics);
  void* reserved = nullptr;
  void* host = nullptr;
  MetricType type = MetricType::counter;
  const char** names = nullptr;
  std::size_t count = 0;
};

struct Properties {  // CUpti_Profiler_Host_GetMetricProperties_Params
  std::size_t size = offsetof(Properties, type) + sizeof(MetricType);
  void* reserved = nullptr;
  void* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;
  const char* hardware_unit = nullptr;
  const char* unit = nullptr;
  MetricType type = MetricType::counter;
};

struct AddMetrics {  // CUpti_Profiler_Host_ConfigAddMetrics_Params
  std::size_t size = sizeof(AddMetrics);
  void* reserved = nullptr;
  void* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};

struct ConfigSize {  // CUpti_Profiler_Host_GetConfigImageSize_Params
  std::size_t size = sizeof(ConfigSize);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
};

struct Config {  // CUpti_Profiler_Host_GetConfigImage_Params
  std::size_t size = sizeof(Config);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};

struct Passes {  // CUpti_Profiler_Host_GetNumOfPasses_Params
  std::size_t size = sizeof(Passes);
  void* reserved = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t count = 0;
};

struct Evaluate {  // CUpti_Profiler_Host_EvaluateToGpuValues_Params
  std::size_t size = sizeof(Evaluate);
  void* reserved = nullptr;
  void* host = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t bytes = 0;
  std::size_t range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};

struct Enable {  // CUpti_RangeProfiler_Enable_Params
  std::size_t size = sizeof(Enable);
  void* reserved = nullptr;
  void* context = nullptr;
  void* profiler = nullptr;
};

/// CUpti_RangeProfiler_Disable_Params, and the same for starting and for popping a range.
struct OfProfiler {
  std::size_t size = sizeof(OfProfiler);
  void* reserved = nullptr;
  void* profiler = nullptr;
};

struct DataSize {  // CUpti_RangeProfiler_GetCounterDataSize_Params
  std::size_t size = sizeof(DataSize);
  void* reserved = nullptr;
  void* profiler = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
  std::size_t most_ranges = 1;
  std::uint32_t most_nodes = 1;
  std::size_t bytes = 0;
};

struct Data {  // CUpti_RangeProfiler_CounterDataImage_Initialize_Params
  std::size_t size = sizeof(Data);
  void* reserved = nullptr;
  void* profiler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};

struct SetConfig {  // CUpti_RangeProfiler_SetConfig_Params
  std::size_t size = offsetof(SetConfig, target_level) + sizeof(std::uint16_t);
  void* reserved = nullptr;
  void* profiler = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  int range = kRangeOfEachKernel;
  int replay = kReplayByCaller;
  std::size_t most_ranges = 1;  // in a pass
  std::uint16_t levels = 1;
  std::uint16_t first_level = 1;
  std::size_t pass = 0;
  std::uint16_t target_level = 1;
};

struct Push {  // CUpti_RangeProfiler_PushRange_Params
  std::size_t size = sizeof(Push);
  void* reserved = nullptr;
  void* profiler = nullptr;
  const char* name = nullptr;
};

struct Stop {  // CUpti_RangeProfiler_Stop_Params
  std::size_t size = offsetof(Stop, all_passes_submitted) + sizeof(std::uint8_t);
  void* reserved = nullptr;
  void* profiler = nullptr;
  std::size_t pass = 0;
  std::size_t target_level = 0;
  std::uint8_t all_passes_submitted = 0;
};

struct Decode {  // CUpti_RangeProfiler_DecodeData_Params
  std::size_t size = sizeof(Decode);
  void* reserved = nullptr;
  void* profiler = nullptr;
  std::size_t dropped = 0;
};

struct DataInfo {  // CUpti_RangeProfiler_GetCounterDataInfo_Params
  std::size_t size = sizeof(DataInfo);
  void* reserved = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t bytes = 0;
  std::size_t ranges = 0;
};

}  // namespace assay::device::profiler
