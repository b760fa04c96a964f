#pragma once

// The forms of the runtime API that CUDA gives C++: typed pointers, default arguments, symbols and
// kernels by function pointer. Included by runtime_api.hpp.
#include <cstddef>
#include <tuple>
#include <utility>

#include "assay/simt/shared.hpp"

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return assay_simt_malloc(reinterpret_cast<void**>(pointer), bytes, cudaMemoryTypeDevice);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned = cudaMemAttachGlobal) {
  return assay_simt_malloc(reinterpret_cast<void**>(pointer), bytes, cudaMemoryTypeManaged);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned = 0) {
  return assay_simt_malloc(reinterpret_cast<void**>(pointer), bytes, cudaMemoryTypeHost);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned = 0) {
  return assay_simt_malloc(reinterpret_cast<void**>(pointer), bytes, cudaMemoryTypeHost);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
  return assay_simt_host_device_pointer(reinterpret_cast<void**>(device), host);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return assay_simt_malloc_pitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream) {
  const cudaError_t error = assay_simt_check_stream(stream);
  return error != cudaSuccess ? error : cudaMalloc(pointer, bytes);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const cudaError_t error = assay_simt_check_stream(stream);
  return error != cudaSuccess ? error : cudaFree(pointer);
}

inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  const cudaError_t error = assay_simt_check_stream(stream);
  return error != cudaSuccess ? error : cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                     std::size_t from_pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  const cudaError_t error = assay_simt_check_stream(stream);
  return error != cudaSuccess ? error
                              : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
inline cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes,
                                   cudaStream_t stream = nullptr) {
  const cudaError_t error = assay_simt_check_stream(stream);
  return error != cudaSuccess ? error : cudaMemset(pointer, value, bytes);
}
inline cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int,
                                        cudaStream_t stream = nullptr) {
  return assay_simt_check_stream(stream);
}
inline cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault) {
  return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
  return assay_simt_event_record(event, stream);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
  return assay_simt_stream_wait_event(stream, event);
}

inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, std::size_t pitch, std::size_t width,
                                          std::size_t height) {
  return {pointer, pitch, width, height};
}
inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) {
  return {x, y, z};
}

// --- symbols: __device__ and __constant__ variables are plain variables
// ----------------------------
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  *address = const_cast<void*>(static_cast<const volatile void*>(&symbol));
  return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&) {
  *bytes = sizeof(T);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  if (offset + bytes > sizeof(T)) return assay_simt_remember(cudaErrorInvalidValue);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, symbol);
  return cudaMemcpy(static_cast<char*>(address) + offset, from, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  if (offset + bytes > sizeof(T)) return assay_simt_remember(cudaErrorInvalidValue);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, symbol);
  return cudaMemcpy(to, static_cast<const char*>(address) + offset, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr) {
  const cudaError_t error = assay_simt_check_stream(stream);
  return error != cudaSuccess ? error : cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
  const cudaError_t error = assay_simt_check_stream(stream);
  return error != cudaSuccess ? error : cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

// --- functions by address
// --------------------------------------------------------------------------
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* function) {
  return assay_simt_function_attributes(attributes, reinterpret_cast<const void*>(function),
                                        &assay::simt::shared_layout);
}
template <class T>
cudaError_t cudaFuncSetAttribute(T* function, cudaFuncAttribute attribute, int value) {
  return assay_simt_set_function_attribute(reinterpret_cast<const void*>(function), attribute,
                                           value);
}
template <class T>
cudaError_t cudaFuncSetCacheConfig(T*, cudaFuncCache) {
  return cudaSuccess;
}
template <class T>
cudaError_t cudaFuncSetSharedMemConfig(T*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T function, int threads,
                                                          std::size_t shared_bytes) {
  return assay_simt_occupancy(blocks, reinterpret_cast<const void*>(function), threads,
                              shared_bytes, &assay::simt::shared_layout);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T function,
                                                                   int threads,
                                                                   std::size_t shared_bytes,
                                                                   unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}
template <class T, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T function,
                                                           SharedBytes shared_bytes,
                                                           int limit = 0) {
  int processors = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  int best = 0;
  const int most = limit > 0 && limit < 1024 ? limit : 1024;
  for (int threads = most / 32 * 32; threads >= 32; threads -= 32) {
    int blocks = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, function, threads, static_cast<std::size_t>(shared_bytes(threads)));
    if (error != cudaSuccess) return error;
    if (blocks * threads > best) {
      best = blocks * threads;
      *block = threads;
      *grid = blocks * processors;
    }
  }
  return best > 0 ? cudaSuccess : assay_simt_remember(cudaErrorInvalidValue);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T function,
                                               std::size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, function, [shared_bytes](int) { return shared_bytes; }, limit);
}
