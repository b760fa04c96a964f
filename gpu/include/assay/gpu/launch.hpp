// What the host side of a split CUDA source gets before its first line: CUDA's words as plain C++,
// and launches through the driver. The device side was compiled apart and comes as one module.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __launch_bounds__
#undef __forceinline__
#define __global__ __attribute__((noinline, used, visibility("default")))
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __forceinline__ inline

namespace assay::gpu {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
inline thread_local Configuration configuration;  // of the launch under way

// In launch.cpp. They throw std::runtime_error with what the driver says.
void launch(const void* stub, const char* kernel, const void** arguments);
void set_attribute(const void* stub, int attribute, int value);
[[noreturn]] void only_on_device();

template <class Value>
const void* address_of(const Value& value) {
  return std::addressof(value);
}

template <class Function>
cudaError_t set_attribute(Function* kernel, cudaFuncAttribute attribute, int value) {
  set_attribute(reinterpret_cast<const void*>(kernel), static_cast<int>(attribute), value);
  return cudaSuccess;
}

}  // namespace assay::gpu

#define cudaFuncSetAttribute ::assay::gpu::set_attribute

namespace assay::simt {

/// What a rewritten launch calls: remembers the configuration, then calls the stub.
template <class Call>
class Launcher {
 public:
  explicit Launcher(Call call) : call_(std::move(call)) {}
  Launcher& configure(dim3 grid, dim3 block, std::size_t shared = 0,
                      cudaStream_t stream = nullptr) {
    configuration_ = {grid, block, shared, stream};
    return *this;
  }
  template <class... Arguments>
  void operator()(Arguments... arguments) {
    gpu::configuration = configuration_;
    call_(arguments...);
  }

 private:
  Call call_;
  gpu::Configuration configuration_;
};

template <class Call>
Launcher<Call> launcher(const char*, const char*, int, Call call) {
  return Launcher<Call>(std::move(call));
}

}  // namespace assay::simt
