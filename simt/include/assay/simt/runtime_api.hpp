#pragma once

#include <cstddef>

#include "assay/simt/engine.hpp"
#include "assay/simt/error_list.hpp"

#define ASSAY_SIMT_ERROR(name, number, text) name = number,
enum cudaError { ASSAY_SIMT_ERRORS(ASSAY_SIMT_ERROR) };
#undef ASSAY_SIMT_ERROR
using cudaError_t = cudaError;

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

#pragma GCC visibility push(default)
extern "C" {
void assay_simt_launch_from_host(const assay::simt::LaunchSpec* spec);

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaFree(void* pointer);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes);
}
cudaError_t cudaMalloc(void** pointer, std::size_t bytes);
#pragma GCC visibility pop
template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
