#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "api_state.hpp"
#include "block.hpp"
#include "limits.hpp"
#include "pool.hpp"

namespace assay::simt {
namespace {

// Threads and blocks that count as resident on one processor, which is one core here.
constexpr unsigned kThreadsPerProcessor = 2048;
constexpr unsigned kBlocksPerProcessor = 32;
constexpr int kVersion = CUDART_VERSION;
constexpr std::size_t kLimits = 7;

std::array<std::atomic<std::size_t>, kLimits> limits = {
    kStackBytes, std::size_t{1} << 20U, std::size_t{8} << 20U, 2, 2048, 128, 0};

cudaDeviceProp properties() {
  cudaDeviceProp p{};
  std::snprintf(p.name, sizeof p.name, "Assay SIMT (CPU)");
  p.totalGlobalMem = total_memory();
  p.sharedMemPerBlock = kMaxSharedBytes;
  p.regsPerBlock = 65536;
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = kMaxThreads;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.clockRate = 1'000'000;  // kHz: clock64 counts nanoseconds
  p.totalConstMem = 65536;
  p.major = 8;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = static_cast<int>(processor_count());
  p.integrated = 1;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.asyncEngineCount = 1;
  p.unifiedAddressing = 1;
  p.memoryClockRate = 1'000'000;
  p.memoryBusWidth = 64;
  p.l2CacheSize = 1 << 20;
  p.maxThreadsPerMultiProcessor = kThreadsPerProcessor;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = kMaxSharedBytesOptIn + 1024;
  p.regsPerMultiprocessor = 65536;
  p.managedMemory = 1;
  p.hostNativeAtomicSupported = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.concurrentManagedAccess = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = kMaxSharedBytesOptIn;
  p.maxBlocksPerMultiProcessor = kBlocksPerProcessor;
  p.reservedSharedMemPerBlock = 1024;
  return p;
}

int attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(p.totalConstMem);
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrMaxPitch:
      return static_cast<int>(p.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return p.regsPerBlock;
    case cudaDevAttrClockRate:
      return p.clockRate;
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrIntegrated:
      return p.integrated;
    case cudaDevAttrCanMapHostMemory:
      return p.canMapHostMemory;
    case cudaDevAttrComputeMode:
      return p.computeMode;
    case cudaDevAttrConcurrentKernels:
      return p.concurrentKernels;
    case cudaDevAttrEccEnabled:
      return p.ECCEnabled;
    case cudaDevAttrMemoryClockRate:
      return p.memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth:
      return p.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return p.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
      return p.asyncEngineCount;
    case cudaDevAttrUnifiedAddressing:
      return p.unifiedAddressing;
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(p.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return p.regsPerMultiprocessor;
    case cudaDevAttrManagedMemory:
      return p.managedMemory;
    case cudaDevAttrHostNativeAtomicSupported:
      return p.hostNativeAtomicSupported;
    case cudaDevAttrPageableMemoryAccess:
      return p.pageableMemoryAccess;
    case cudaDevAttrConcurrentManagedAccess:
      return p.concurrentManagedAccess;
    case cudaDevAttrCooperativeLaunch:
      return p.cooperativeLaunch;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return p.maxBlocksPerMultiProcessor;
  }
  return -1;
}

}  // namespace

unsigned processor_count() {
  return Pool::instance().cores();
}

unsigned blocks_per_processor(unsigned threads, std::size_t shared_bytes) {
  if (threads == 0 || threads > kMaxThreads) return 0;
  const unsigned rounded = (threads + 31) / 32 * 32;
  const std::size_t by_shared = (kMaxSharedBytesOptIn + 1024) / (shared_bytes + 1024);
  return static_cast<unsigned>(std::min<std::size_t>(
      std::min(kThreadsPerProcessor / rounded, kBlocksPerProcessor), by_shared));
}

}  // namespace assay::simt

using namespace assay::simt;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return remember(cudaErrorInvalidValue);
  *count = 1;
  return remember(cudaSuccess);
}
cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return remember(cudaErrorInvalidValue);
  *device = 0;
  return remember(cudaSuccess);
}
cudaError_t cudaSetDevice(int device) {
  return remember(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* result, int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  if (result == nullptr) return remember(cudaErrorInvalidValue);
  *result = properties();
  return remember(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  const int found = attribute_of(properties(), attribute);
  if (value == nullptr || found < 0) return remember(cudaErrorInvalidValue);
  *value = found;
  return remember(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize() {
  return remember(cudaSuccess);
}
cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
cudaError_t cudaDeviceReset() {
  forget_errors();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (value == nullptr) return remember(cudaErrorInvalidValue);
  if (static_cast<std::size_t>(limit) >= kLimits) return remember(cudaErrorUnsupportedLimit);
  *value = limits[limit].load();
  return remember(cudaSuccess);
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (static_cast<std::size_t>(limit) >= kLimits) return remember(cudaErrorUnsupportedLimit);
  // Stacks are as large as they are; a wish for less is met, one for more is not.
  if (limit == cudaLimitStackSize) {
    return remember(value <= kStackBytes ? cudaSuccess : cudaErrorInvalidValue);
  }
  limits[limit].store(value);
  return remember(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache /*config*/) {
  return remember(cudaSuccess);
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return remember(cudaSuccess);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig /*config*/) {
  return remember(cudaSuccess);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (device != 0 || peer != 0) return remember(cudaErrorInvalidDevice);
  *can = 0;
  return remember(cudaSuccess);
}
cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
  return remember(cudaErrorInvalidDevice);
}
cudaError_t cudaSetDeviceFlags(unsigned /*flags*/) {
  return remember(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = kVersion;
  return remember(cudaSuccess);
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return remember(cudaSuccess);
}
}
