// Launches by host code, and kernels known by their address.
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "api_state.hpp"
#include "block.hpp"
#include "host_launches.hpp"
#include "limits.hpp"

namespace assay::simt {
namespace {

/// "ns::scale<float, 4>" → "scale": a launch names its kernel as the source does.
std::string_view base_name(std::string_view name) {
  name = name.substr(0, name.find('<'));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

class Functions {
 public:
  static Functions& instance() {
    static auto* const functions = new Functions;
    return *functions;
  }

  void add(FunctionEntry* entry) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(entry);
  }
  void remove(FunctionEntry* entry) {
    const std::lock_guard lock(mutex_);
    std::erase(entries_, entry);
  }
  const FunctionEntry* find(const void* address) {
    const std::lock_guard lock(mutex_);
    for (const FunctionEntry* entry : entries_) {
      if (entry->address == address) return entry;
    }
    return nullptr;
  }

  void set_limit(const void* address, std::size_t bytes) {
    const FunctionEntry* entry = find(address);
    const std::lock_guard lock(mutex_);
    limits_[address] = bytes;
    if (entry == nullptr) unnamed_limit_ = std::max(unnamed_limit_, bytes);
  }
  std::size_t limit(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = limits_.find(address);
    return found != limits_.end() ? found->second : kMaxSharedBytes;
  }
  /// Instances of templates have no entry, so what one of them was allowed holds for all.
  std::size_t limit_of_name(std::string_view name) {
    const std::lock_guard lock(mutex_);
    for (const FunctionEntry* entry : entries_) {
      if (base_name(entry->name) != base_name(name)) continue;
      const auto found = limits_.find(entry->address);
      return found != limits_.end() ? found->second : kMaxSharedBytes;
    }
    return unnamed_limit_;
  }

 private:
  std::mutex mutex_;
  std::vector<FunctionEntry*> entries_;
  std::unordered_map<const void*, std::size_t> limits_;
  std::size_t unnamed_limit_ = kMaxSharedBytes;
};

std::size_t static_shared_bytes(const FunctionEntry* entry, const SharedLayout& layout) {
  std::size_t bytes = 0;
  for (const SharedVariable* v = layout.variables; v != nullptr; v = v->next) {
    const std::string_view owner = v->function;
    if (owner.empty() || entry == nullptr || base_name(entry->name) == owner) bytes += v->size;
  }
  return bytes;
}

}  // namespace

std::size_t dynamic_shared_limit(const char* name) {
  return Functions::instance().limit_of_name(name);
}

}  // namespace assay::simt

using namespace assay::simt;

extern "C" {

void assay_simt_register_function(FunctionEntry* entry) {
  Functions::instance().add(entry);
}
void assay_simt_unregister_function(FunctionEntry* entry) {
  Functions::instance().remove(entry);
}

cudaError_t assay_simt_launch_from_host(const LaunchSpec* spec, bool cooperative) {
  if (const cudaError_t error = sticky_error(); error != cudaSuccess) return remember(error);
  assay_simt_launch_options options = HostLaunches::instance().options();
  options.cooperative = cooperative ? 1 : 0;
  options.max_shared_bytes = static_cast<std::uint32_t>(dynamic_shared_limit(spec->name));
  const std::uint64_t threads = std::uint64_t{spec->block.x} * spec->block.y * spec->block.z;
  const std::uint64_t blocks = std::uint64_t{spec->grid.x} * spec->grid.y * spec->grid.z;
  if (cooperative && threads <= kMaxThreads &&
      blocks > std::uint64_t{processor_count()} *
                   blocks_per_processor(static_cast<unsigned>(threads), spec->shared_bytes)) {
    return remember(cudaErrorCooperativeLaunchTooLarge);
  }
  NamedArrays arrays;
  if (options.sanitize != 0) {
    arrays = HostLaunches::instance().arrays(*spec);
    options.allocations = arrays.list.data();
    options.allocation_count = arrays.list.size();
  }
  assay_simt_report report;
  const auto status = static_cast<cudaError_t>(assay_simt_launch(spec, &options, &report));
  if (report.finding_count > 0) HostLaunches::instance().add(report);
  if ((options.sanitize & ASSAY_SIMT_SANITIZE_INIT) != 0) Allocations::instance().note_launch();
  return remember(status);
}

cudaError_t assay_simt_launch_function(const void* function, dim3 grid, dim3 block, void** args,
                                       std::size_t shared_bytes, cudaStream_t stream,
                                       bool cooperative) {
  if (const cudaError_t error = assay_simt_check_stream(stream); error != cudaSuccess) return error;
  const FunctionEntry* entry = Functions::instance().find(function);
  if (entry == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  LaunchSpec spec{};
  spec.grid = grid;
  spec.block = block;
  spec.shared_bytes = shared_bytes;
  return static_cast<cudaError_t>(entry->launch(*entry, spec, args, cooperative));
}

cudaError_t assay_simt_function_attributes(cudaFuncAttributes* attributes, const void* function,
                                           const SharedLayout* layout) {
  if (attributes == nullptr || function == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->sharedSizeBytes = static_shared_bytes(Functions::instance().find(function), *layout);
  attributes->maxThreadsPerBlock = kMaxThreads;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 80;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(Functions::instance().limit(function));
  attributes->preferredShmemCarveout = -1;
  return remember(cudaSuccess);
}

cudaError_t assay_simt_set_function_attribute(const void* function, cudaFuncAttribute attribute,
                                              int value) {
  if (function == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || static_cast<std::uint64_t>(value) > kMaxSharedBytesOptIn) {
      return remember(cudaErrorInvalidValue);
    }
    Functions::instance().set_limit(function, static_cast<std::size_t>(value));
  } else if (attribute != cudaFuncAttributePreferredSharedMemoryCarveout) {
    return remember(cudaErrorInvalidValue);
  }
  return remember(cudaSuccess);
}

cudaError_t assay_simt_occupancy(int* blocks, const void* function, int threads,
                                 std::size_t shared_bytes, const SharedLayout* layout) {
  if (blocks == nullptr || threads <= 0) return remember(cudaErrorInvalidValue);
  const std::size_t fixed = static_shared_bytes(Functions::instance().find(function), *layout);
  *blocks =
      static_cast<int>(blocks_per_processor(static_cast<unsigned>(threads), shared_bytes + fixed));
  return remember(cudaSuccess);
}
}
