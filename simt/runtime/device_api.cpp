// The runtime API that host code calls. Work is done when a launch returns, so streams and
// synchronisation have nothing left to wait for.
#include <cstdlib>
#include <cstring>

#include "assay/simt/runtime_api.hpp"

namespace {

// Per OS thread, as in CUDA. A launch's own failure is sticky there; here it is reported once and
// the process can go on.
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t remembered(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

constexpr std::size_t kAllocationAlignment = 256;

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define ASSAY_SIMT_ERROR(name, number, text) \
  case name:                                 \
    return #name;
    ASSAY_SIMT_ERRORS(ASSAY_SIMT_ERROR)
#undef ASSAY_SIMT_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define ASSAY_SIMT_ERROR(name, number, text) \
  case name:                                 \
    return text;
    ASSAY_SIMT_ERRORS(ASSAY_SIMT_ERROR)
#undef ASSAY_SIMT_ERROR
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return last_error;
}
cudaError_t cudaDeviceSynchronize() {
  return last_error;
}

cudaError_t cudaFree(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return remembered(cudaErrorInvalidMemcpyDirection);
  }
  if (bytes > 0) std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  if (bytes > 0) std::memset(pointer, value, bytes);
  return cudaSuccess;
}

void assay_simt_launch_from_host(const assay::simt::LaunchSpec* spec) {
  assay_simt_report report;
  remembered(static_cast<cudaError_t>(assay_simt_launch(spec, nullptr, &report)));
}
}

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return remembered(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::size_t rounded =
      (bytes + kAllocationAlignment - 1) / kAllocationAlignment * kAllocationAlignment;
  *pointer = std::aligned_alloc(kAllocationAlignment, rounded);
  return remembered(*pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}
