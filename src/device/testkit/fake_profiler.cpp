#include "device/testkit/fake_profiler.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/cupti_profiler.hpp"
#include "device/profiler_api.hpp"

namespace assay::device {
namespace {

FakeProfiler* fake_profiler = nullptr;  // the one there is

constexpr profiler::Status kRefused = 7;  // CUPTI_ERROR_INVALID_OPERATION
constexpr std::array<std::uint8_t, 3> kImage{1, 2, 3};

/// Notes the call; what it answers.
profiler::Status note(const char* call) {
  fake_profiler->calls.emplace_back(call);
  return fake_profiler->refused == call ? kRefused : profiler::kSuccess;
}

profiler::Status availability(profiler::Availability* arguments) {
  if (arguments->image == nullptr) arguments->bytes = kImage.size();
  return note("cuptiProfilerGetCounterAvailability");
}

profiler::Status open_host(profiler::OpenHost* arguments) {
  fake_profiler->host_is_open = true;
  arguments->host = fake_profiler;
  return note("cuptiProfilerHostInitialize");
}

profiler::Status properties(profiler::Properties* arguments) {
  return fake_profiler->metrics.contains(arguments->metric) ? profiler::kSuccess : kRefused;
}

profiler::Status add_metrics(profiler::AddMetrics* arguments) {
  fake_profiler->configured.assign(arguments->names, arguments->names + arguments->count);
  return note("cuptiProfilerHostConfigAddMetrics");
}

profiler::Status evaluate(profiler::Evaluate* arguments) {
  *arguments->values = fake_profiler->metrics.at(*arguments->names);
  return profiler::kSuccess;
}

profiler::Status enable(profiler::Enable* arguments) {
  const profiler::Status status = note("cuptiRangeProfilerEnable");
  if (status == profiler::kSuccess) {
    fake_profiler->is_enabled = true;
    arguments->profiler = fake_profiler;
  }
  return status;
}

profiler::Status stop(profiler::Stop* arguments) {
  const auto made =
      static_cast<std::size_t>(std::ranges::count(fake_profiler->calls, "cuptiRangeProfilerStart"));
  arguments->all_passes_submitted = made >= fake_profiler->passes ? 1 : 0;
  return note("cuptiRangeProfilerStop");
}

}  // namespace

FakeProfiler::FakeProfiler() {
  fake_profiler = this;
}

FakeProfiler::~FakeProfiler() {
  fake_profiler = nullptr;
}

CuptiProfiler FakeProfiler::table() {
  CuptiProfiler t{};
  t.result_string = [](profiler::Status, const char** text) {
    return *text = "CUPTI_ERROR_FAKE", profiler::kSuccess;
  };
  t.device_support = [](profiler::DeviceSupport* arguments) {
    arguments->all = fake_profiler->support;
    return note("cuptiProfilerDeviceSupported");
  };
  t.chip_name = [](profiler::ChipName* arguments) {
    arguments->name = "GH100";
    return note("cuptiDeviceGetChipName");
  };
  t.availability = availability;
  t.open_host = open_host;
  t.close_host = [](profiler::CloseHost*) {
    return fake_profiler->host_is_open = false, profiler::kSuccess;
  };
  t.properties = properties;
  t.add_metrics = add_metrics;
  t.config_size = [](profiler::ConfigSize* arguments) {
    arguments->bytes = kImage.size();
    return note("cuptiProfilerHostGetConfigImageSize");
  };
  t.config = [](profiler::Config*) { return note("cuptiProfilerHostGetConfigImage"); };
  t.passes = [](profiler::Passes* arguments) {
    arguments->count = fake_profiler->announced;
    return note("cuptiProfilerHostGetNumOfPasses");
  };
  t.evaluate = evaluate;
  t.enable_ranges = enable;
  t.disable_ranges = [](profiler::OfProfiler*) {
    fake_profiler->is_enabled = false;
    return note("cuptiRangeProfilerDisable");
  };
  t.data_size = [](profiler::DataSize* arguments) {
    arguments->bytes = kImage.size();
    return note("cuptiRangeProfilerGetCounterDataSize");
  };
  t.initialise_data = [](profiler::Data*) {
    return note("cuptiRangeProfilerCounterDataImageInitialize");
  };
  t.set_config = [](profiler::SetConfig* arguments) {
    fake_profiler->config = *arguments;
    return note("cuptiRangeProfilerSetConfig");
  };
  t.start_pass = [](profiler::OfProfiler*) { return note("cuptiRangeProfilerStart"); };
  t.push_range = [](profiler::Push*) { return note("cuptiRangeProfilerPushRange"); };
  t.pop_range = [](profiler::OfProfiler*) { return note("cuptiRangeProfilerPopRange"); };
  t.stop_pass = stop;
  t.decode = [](profiler::Decode*) { return note("cuptiRangeProfilerDecodeData"); };
  t.data_info = [](profiler::DataInfo* arguments) {
    arguments->ranges = fake_profiler->ranges;
    return note("cuptiRangeProfilerGetCounterDataInfo");
  };
  return t;
}

CudaDriver FakeProfiler::driver() {
  CudaDriver d{};
  d.error_name = [](cuda::Status, const char** name) { return *name = "CUDA_ERROR_FAKE", 0; };
  d.error_string = [](cuda::Status, const char** text) { return *text = "it failed", 0; };
  d.primary_context_retain = [](cuda::Context* context, cuda::Device) {
    *context = reinterpret_cast<cuda::Context>(fake_profiler);
    return cuda::kSuccess;
  };
  return d;
}

}  // namespace assay::device
