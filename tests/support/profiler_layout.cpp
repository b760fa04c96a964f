// Holds src/device/profiler_api.hpp against NVIDIA's headers, at compile time. Needs no GPU and no
// library.

#include <cstddef>
#include <cstdio>

#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "device/profiler_api.hpp"

namespace ours = assay::device::profiler;

#define SAME_NUMBER(mine, theirs) static_assert(static_cast<int>(ours::mine) == (theirs))
SAME_NUMBER(kSuccess, CUPTI_SUCCESS);
SAME_NUMBER(kRangeProfiler, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
SAME_NUMBER(kSupported, CUPTI_PROFILER_CONFIGURATION_SUPPORTED);
SAME_NUMBER(kRangeOfEachKernel, CUPTI_AutoRange);
SAME_NUMBER(kReplayByCaller, CUPTI_UserReplay);
SAME_NUMBER(MetricType::counter, CUPTI_METRIC_TYPE_COUNTER);
SAME_NUMBER(MetricType::ratio, CUPTI_METRIC_TYPE_RATIO);
SAME_NUMBER(MetricType::throughput, CUPTI_METRIC_TYPE_THROUGHPUT);
static_assert(ours::DeviceSupport{}.interface == CUPTI_PROFILER_RANGE_PROFILING);

#define SAME_FIELD(Mine, mine, Theirs, theirs)                            \
  static_assert(offsetof(ours::Mine, mine) == offsetof(Theirs, theirs) && \
                sizeof(ours::Mine::mine) == sizeof(Theirs::theirs))
// The size that a call is told is that up to the last field.
#define SAME_SIZE(Mine, Theirs) static_assert(ours::Mine{}.size == Theirs##_STRUCT_SIZE)
SAME_SIZE(Start, CUpti_Profiler_Initialize_Params);
SAME_SIZE(DeviceSupport, CUpti_Profiler_DeviceSupported_Params);
SAME_FIELD(DeviceSupport, device, CUpti_Profiler_DeviceSupported_Params, cuDevice);
SAME_FIELD(DeviceSupport, all, CUpti_Profiler_DeviceSupported_Params, isSupported);
SAME_FIELD(DeviceSupport, architecture, CUpti_Profiler_DeviceSupported_Params, architecture);
SAME_FIELD(DeviceSupport, sli, CUpti_Profiler_DeviceSupported_Params, sli);
SAME_FIELD(DeviceSupport, virtual_gpu, CUpti_Profiler_DeviceSupported_Params, vGpu);
SAME_FIELD(DeviceSupport, confidential, CUpti_Profiler_DeviceSupported_Params, confidentialCompute);
SAME_FIELD(DeviceSupport, mining, CUpti_Profiler_DeviceSupported_Params, cmp);
SAME_FIELD(DeviceSupport, subsystem, CUpti_Profiler_DeviceSupported_Params, wsl);
SAME_FIELD(DeviceSupport, interface, CUpti_Profiler_DeviceSupported_Params, api);
SAME_SIZE(ChipName, CUpti_Device_GetChipName_Params);
SAME_FIELD(ChipName, device, CUpti_Device_GetChipName_Params, deviceIndex);
SAME_FIELD(ChipName, name, CUpti_Device_GetChipName_Params, pChipName);
SAME_SIZE(Availability, CUpti_Profiler_GetCounterAvailability_Params);
SAME_FIELD(Availability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
SAME_FIELD(Availability, bytes, CUpti_Profiler_GetCounterAvailability_Params,
           counterAvailabilityImageSize);
SAME_FIELD(Availability, image, CUpti_Profiler_GetCounterAvailability_Params,
           pCounterAvailabilityImage);
SAME_SIZE(Chips, CUpti_Profiler_Host_GetSupportedChips_Params);
SAME_FIELD(Chips, count, CUpti_Profiler_Host_GetSupportedChips_Params, numChips);
SAME_FIELD(Chips, names, CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames);
SAME_SIZE(OpenHost, CUpti_Profiler_Host_Initialize_Params);
SAME_FIELD(OpenHost, profiler, CUpti_Profiler_Host_Initialize_Params, profilerType);
SAME_FIELD(OpenHost, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
SAME_FIELD(OpenHost, availability, CUpti_Profiler_Host_Initialize_Params,
           pCounterAvailabilityImage);
SAME_FIELD(OpenHost, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
SAME_SIZE(CloseHost, CUpti_Profiler_Host_Deinitialize_Params);
SAME_FIELD(CloseHost, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
SAME_SIZE(BaseMetrics, CUpti_Profiler_Host_GetBaseMetrics_Params);
SAME_FIELD(BaseMetrics, host, CUpti_Profiler_Host_GetBaseMetrics_Params, pHostObject);
SAME_FIELD(BaseMetrics, type, CUpti_Profiler_Host_GetBaseMetrics_Params, metricType);
SAME_FIELD(BaseMetrics, names, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames);
SAME_FIELD(BaseMetrics, count, CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics);
SAME_SIZE(Properties, CUpti_Profiler_Host_GetMetricProperties_Params);
SAME_FIELD(Properties, host, CUpti_Profiler_Host_GetMetricProperties_Params, pHostObject);
SAME_FIELD(Properties, metric, CUpti_Profiler_Host_GetMetricProperties_Params, pMetricName);
SAME_FIELD(Properties, description, CUpti_Profiler_Host_GetMetricProperties_Params, pDescription);
SAME_FIELD(Properties, hardware_unit, CUpti_Profiler_Host_GetMetricProperties_Params, pHwUnit);
SAME_FIELD(Properties, unit, CUpti_Profiler_Host_GetMetricProperties_Params, pDimUnit);
SAME_FIELD(Properties, type, CUpti_Profiler_Host_GetMetricProperties_Params, metricType);
SAME_SIZE(AddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
SAME_FIELD(AddMetrics, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject);
SAME_FIELD(AddMetrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
SAME_FIELD(AddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
SAME_SIZE(ConfigSize, CUpti_Profiler_Host_GetConfigImageSize_Params);
SAME_FIELD(ConfigSize, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);
SAME_FIELD(ConfigSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
SAME_SIZE(Config, CUpti_Profiler_Host_GetConfigImage_Params);
SAME_FIELD(Config, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject);
SAME_FIELD(Config, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
SAME_FIELD(Config, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
SAME_SIZE(Passes, CUpti_Profiler_Host_GetNumOfPasses_Params);
SAME_FIELD(Passes, bytes, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize);
SAME_FIELD(Passes, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
SAME_FIELD(Passes, count, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
SAME_SIZE(Evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
SAME_FIELD(Evaluate, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
SAME_FIELD(Evaluate, image, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
SAME_FIELD(Evaluate, bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize);
SAME_FIELD(Evaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME_FIELD(Evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
SAME_FIELD(Evaluate, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
SAME_FIELD(Evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
SAME_SIZE(Enable, CUpti_RangeProfiler_Enable_Params);
SAME_FIELD(Enable, context, CUpti_RangeProfiler_Enable_Params, ctx);
SAME_FIELD(Enable, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
SAME_SIZE(OfProfiler, CUpti_RangeProfiler_Disable_Params);
SAME_FIELD(OfProfiler, profiler, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject);
SAME_SIZE(OfProfiler, CUpti_RangeProfiler_Start_Params);
SAME_FIELD(OfProfiler, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
SAME_SIZE(OfProfiler, CUpti_RangeProfiler_PopRange_Params);
SAME_FIELD(OfProfiler, profiler, CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject);
SAME_SIZE(DataSize, CUpti_RangeProfiler_GetCounterDataSize_Params);
SAME_FIELD(DataSize, profiler, CUpti_RangeProfiler_GetCounterDataSize_Params, pRangeProfilerObject);
SAME_FIELD(DataSize, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
SAME_FIELD(DataSize, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
SAME_FIELD(DataSize, most_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges);
SAME_FIELD(DataSize, most_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params,
           maxNumRangeTreeNodes);
SAME_FIELD(DataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
SAME_SIZE(Data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
SAME_FIELD(Data, profiler, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
           pRangeProfilerObject);
SAME_FIELD(Data, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, counterDataSize);
SAME_FIELD(Data, image, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
SAME_SIZE(SetConfig, CUpti_RangeProfiler_SetConfig_Params);
SAME_FIELD(SetConfig, profiler, CUpti_RangeProfiler_SetConfig_Params, pRangeProfilerObject);
SAME_FIELD(SetConfig, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
SAME_FIELD(SetConfig, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
SAME_FIELD(SetConfig, data_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
SAME_FIELD(SetConfig, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
SAME_FIELD(SetConfig, range, CUpti_RangeProfiler_SetConfig_Params, range);
SAME_FIELD(SetConfig, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
SAME_FIELD(SetConfig, most_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
SAME_FIELD(SetConfig, levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
SAME_FIELD(SetConfig, first_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
SAME_FIELD(SetConfig, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
SAME_FIELD(SetConfig, target_level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
SAME_SIZE(Push, CUpti_RangeProfiler_PushRange_Params);
SAME_FIELD(Push, profiler, CUpti_RangeProfiler_PushRange_Params, pRangeProfilerObject);
SAME_FIELD(Push, name, CUpti_RangeProfiler_PushRange_Params, pRangeName);
SAME_SIZE(Stop, CUpti_RangeProfiler_Stop_Params);
SAME_FIELD(Stop, profiler, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject);
SAME_FIELD(Stop, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
SAME_FIELD(Stop, target_level, CUpti_RangeProfiler_Stop_Params, targetNestingLevel);
SAME_FIELD(Stop, all_passes_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
SAME_SIZE(Decode, CUpti_RangeProfiler_DecodeData_Params);
SAME_FIELD(Decode, profiler, CUpti_RangeProfiler_DecodeData_Params, pRangeProfilerObject);
SAME_FIELD(Decode, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
SAME_SIZE(DataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params);
SAME_FIELD(DataInfo, image, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage);
SAME_FIELD(DataInfo, bytes, CUpti_RangeProfiler_GetCounterDataInfo_Params, counterDataImageSize);
SAME_FIELD(DataInfo, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);

int main() {
  std::printf("%u: arguments of the profiler are those of the headers\n", CUPTI_API_VERSION);
}
