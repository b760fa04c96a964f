#include "trace/analysis/api_class.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

struct Prefix {
  std::string_view text;
  ApiClass api;
};

// The first that fits decides. Synchronous copies wait; their Async forms only enqueue.
constexpr auto kPrefixes = std::to_array<Prefix>({
    {"cudaGraphLaunch", ApiClass::graph_launch},
    {"cuGraphLaunch", ApiClass::graph_launch},
    {"cudaLaunch", ApiClass::launch},
    {"cuLaunch", ApiClass::launch},
    {"cudaDeviceSynchronize", ApiClass::synchronise},
    {"cudaStreamSynchronize", ApiClass::synchronise},
    {"cudaEventSynchronize", ApiClass::synchronise},
    {"cuCtxSynchronize", ApiClass::synchronise},
    {"cuStreamSynchronize", ApiClass::synchronise},
    {"cuEventSynchronize", ApiClass::synchronise},
    {"cudaMalloc", ApiClass::allocate},
    {"cudaFree", ApiClass::allocate},
    {"cudaHostAlloc", ApiClass::allocate},
    {"cudaHostRegister", ApiClass::allocate},
    {"cuMemAlloc", ApiClass::allocate},
    {"cuMemFree", ApiClass::allocate},
    {"cuMemCreate", ApiClass::allocate},
    {"cuMemMap", ApiClass::allocate},
    {"cuMemHostAlloc", ApiClass::allocate},
    {"cudaMemcpy", ApiClass::copy},
    {"cuMemcpy", ApiClass::copy},
    {"cudaMemset", ApiClass::copy},
    {"cuMemset", ApiClass::copy},
    {"hipGraphLaunch", ApiClass::graph_launch},
    {"hipLaunch", ApiClass::launch},
    {"hipModuleLaunch", ApiClass::launch},
    {"hipExtLaunch", ApiClass::launch},
    {"hipExtModuleLaunch", ApiClass::launch},
    {"hipDeviceSynchronize", ApiClass::synchronise},
    {"hipStreamSynchronize", ApiClass::synchronise},
    {"hipEventSynchronize", ApiClass::synchronise},
    {"hipMalloc", ApiClass::allocate},
    {"hipFree", ApiClass::allocate},
    {"hipHostMalloc", ApiClass::allocate},
    {"hipHostFree", ApiClass::allocate},
    {"hipMemcpy", ApiClass::copy},
    {"hipMemset", ApiClass::copy},
});

}  // namespace

ApiClass api_class(std::string_view name) {
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.text)) continue;
    const bool waits = prefix.api == ApiClass::copy && name.find("Async") == std::string_view::npos;
    return waits ? ApiClass::synchronise : prefix.api;
  }
  return ApiClass::other;
}

std::vector<ApiClass> api_classes(const Trace& trace) {
  std::vector<ApiClass> classes(trace.strings.size());
  for (std::uint32_t name = 0; name < classes.size(); ++name) {
    classes[name] = api_class(trace.strings.view(name));
  }
  return classes;
}

}  // namespace assay::trace
