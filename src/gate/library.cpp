// The runner's side of the gate for Python, which loads it with ctypes
// (python/assay_runner/gate.py). All that is known of a gate is in one Handle; every function may
// be called by one thread at a time.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "gate/kernel_trace.hpp"
#include "gate/page.hpp"
#include "gate/round.hpp"
#include "gate/stage.hpp"
#include "model/runner_protocol.hpp"
#include "model/timing_summary.hpp"

namespace {

using assay::device::CudaDriver;
namespace cuda = assay::device::cuda;
namespace gate = assay::gate;

struct Handle {
  CudaDriver driver;
  gate::SharedPage page;
  std::string image;
  std::optional<gate::Stage> stage;
  std::vector<gate::OutputPart>* outputs = nullptr;  // of the call under way
  assay::KernelTime traced;                          // by the last trace
};

struct Input {
  std::uint64_t from;
  std::uint64_t to;
  std::uint64_t size;
  std::uint32_t how;
  std::uint32_t gentle;
};

struct Blank {
  std::uint64_t to;
  std::uint64_t size;
};

using PythonCall = int (*)(std::uint32_t call);

void tell(char* error, std::size_t size, std::string_view text) {
  std::snprintf(error, size, "%.*s", static_cast<int>(text.size()), text.data());
}

/// What a callback that failed makes of the round; Python knows the reason.
constexpr cuda::Status kCallFailed = -1;

gate::TimedCall timed(Handle& handle, PythonCall call) {
  return [&handle, call](std::uint32_t number, std::vector<gate::OutputPart>& outputs) {
    handle.outputs = &outputs;
    const int failed = call(number);
    handle.outputs = nullptr;
    return failed != 0 ? kCallFailed : cuda::kSuccess;
  };
}

int answer(const Handle& handle, cuda::Status status, char* error, std::size_t error_size) {
  if (status != cuda::kSuccess && status != kCallFailed) {
    tell(error, error_size, describe(handle.driver, status));
  }
  return status;
}

}  // namespace

extern "C" {

/// Null where it cannot be opened; `error` then says why.
Handle* assay_gate_open(int page, const char* image, std::size_t image_size, std::uint64_t ledger,
                        std::uint64_t sweep, std::uint64_t sweep_bytes, char* error,
                        std::size_t error_size) {
  auto driver = CudaDriver::open();
  if (!driver) {
    tell(error, error_size, driver.error().message());
    return nullptr;
  }
  auto mapped = gate::SharedPage::map(assay::UniqueFd(page));
  if (!mapped) {
    tell(error, error_size, mapped.error().message());
    return nullptr;
  }
  auto* handle =
      new Handle{*driver, *std::move(mapped), std::string(image, image_size), {}, {}, {}};
  auto stage = gate::Stage::open(handle->driver, handle->image, *handle->page,
                                 {.ledger = ledger, .sweep = sweep, .sweep_bytes = sweep_bytes});
  if (!stage) {
    tell(error, error_size, stage.error().message());
    delete handle;
    return nullptr;
  }
  handle->stage = *std::move(stage);
  return handle;
}

void assay_gate_set(Handle* handle, const Input* inputs, std::size_t input_count,
                    const Blank* blanks, std::size_t blank_count) {
  std::vector<gate::VariedInput> varied;
  for (const Input& input : std::span(inputs, input_count)) {
    varied.push_back(gate::varied_input({.size = input.size,
                                         .how = static_cast<assay::InputVariation>(input.how),
                                         .gentle = input.gentle != 0},
                                        input.from, input.to));
  }
  std::vector<gate::BlankOutput> empty;
  for (const Blank& blank : std::span(blanks, blank_count)) {
    empty.push_back({.to = blank.to, .size = blank.size});
  }
  handle->stage->set_inputs(std::move(varied), std::move(empty));
}

/// From within a callback: a tensor that the call answered with. `layout` is null where it is
/// dense.
void assay_gate_output(Handle* handle, std::uint64_t data, std::uint64_t count,
                       std::uint32_t element_size, const gate::OutputLayout* layout) {
  if (handle->outputs == nullptr) return;
  handle->outputs->push_back({.data = data,
                              .count = count,
                              .element_size = element_size,
                              .layout = layout == nullptr ? gate::OutputLayout{} : *layout});
}

/// `event_ns` and `queue_ns` have room for every call. Returns 0, what the driver said, or -1 where
/// the callback failed.
int assay_gate_round(Handle* handle, std::uint32_t number, std::uint32_t calls, int held,
                     int events, cuda::Stream stream, PythonCall call, double* event_ns,
                     double* event_overhead_ns, double* queue_ns, double* launch_ns, char* error,
                     std::size_t error_size) {
  gate::RoundClaims claims;
  const cuda::Status status = gate::run_round(
      *handle->stage, {.number = number, .calls = calls, .held = held != 0, .events = events != 0},
      stream, timed(*handle, call), claims);
  for (std::size_t i = 0; i < claims.event_ns.size(); ++i) event_ns[i] = claims.event_ns[i];
  for (std::size_t i = 0; i < claims.queue_ns.size(); ++i) queue_ns[i] = claims.queue_ns[i];
  *event_overhead_ns = claims.event_overhead_ns;
  *launch_ns = claims.launch_ns;
  return answer(*handle, status, error, error_size);
}

int assay_gate_host_time(Handle* handle, std::uint32_t calls, cuda::Stream stream, PythonCall call,
                         double* ns, char* error, std::size_t error_size) {
  std::vector<double> taken;
  const cuda::Status status =
      gate::time_on_host(handle->driver, calls, stream, timed(*handle, call), taken);
  for (std::size_t i = 0; i < taken.size(); ++i) ns[i] = taken[i];
  return answer(*handle, status, error, error_size);
}

/// How many kernels, copies and memsets a call has; -1 where no number can be told, and `error`
/// says why. assay_gate_kernel tells of each.
int assay_gate_trace(Handle* handle, std::uint32_t number, std::uint32_t calls, int held,
                     cuda::Stream stream, PythonCall call, double* busy_ns, double* span_ns,
                     char* error, std::size_t error_size) {
  auto time =
      gate::trace_round(*handle->stage, {.number = number, .calls = calls, .held = held != 0},
                        stream, timed(*handle, call));
  if (!time) {
    tell(error, error_size, time.error().message());
    return -1;
  }
  handle->traced = *std::move(time);
  *busy_ns = handle->traced.busy_ns;
  *span_ns = handle->traced.span_ns.value_or(0);
  return static_cast<int>(handle->traced.kernels.size());
}

/// Kernel `which` of the last trace. `name` has room for `name_size` bytes.
void assay_gate_kernel(const Handle* handle, std::uint32_t which, char* name, std::size_t name_size,
                       std::uint64_t* launches, double* ns, double* share) {
  const assay::KernelShare& kernel = handle->traced.kernels[which];
  tell(name, name_size, kernel.name);
  *launches = kernel.launches;
  *ns = kernel.ns;
  *share = kernel.share;
}

}  // extern "C"
