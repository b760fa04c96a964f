// What the host side of a split CUDA source gets before its first line: CUDA's words as plain C++,
// and launches through the driver. The device side was compiled apart and comes as one module.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

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

/// The device side: an image for this GPU, and which of its functions each stub stands for, as
/// lines "stub's symbol<tab>function".
struct DeviceSide {
  std::mutex mutex;
  const void* image = nullptr;
  void* module = nullptr;
  std::unordered_map<std::string, std::string> functions;
  std::unordered_map<const void*, void*> loaded;
};
inline DeviceSide device_side;

inline void* driver_symbol(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("the CUDA driver has no ") + name);
  return symbol;
}

template <class... Arguments>
void call_driver(const char* name, Arguments... arguments) {
  const int error = reinterpret_cast<int (*)(Arguments...)>(driver_symbol(name))(arguments...);
  if (error == 0) return;
  const char* text = nullptr;
  reinterpret_cast<int (*)(int, const char**)>(driver_symbol("cuGetErrorString"))(error, &text);
  throw std::runtime_error(std::string("CUDA error: ") + (text == nullptr ? "unknown" : text) +
                           " (" + name + ")");
}

inline void* function_of(const void* stub, const char* kernel) {
  const std::lock_guard lock(device_side.mutex);
  void*& function = device_side.loaded[stub];
  if (function != nullptr) return function;
  Dl_info info{};
  const bool known = dladdr(stub, &info) != 0 && info.dli_sname != nullptr &&
                     device_side.functions.contains(info.dli_sname);
  if (!known) throw std::runtime_error(std::string("kernel was not compiled: ") + kernel);
  if (device_side.module == nullptr) {
    call_driver("cuModuleLoadData", &device_side.module, device_side.image);
  }
  call_driver("cuModuleGetFunction", &function, device_side.module,
              device_side.functions[info.dli_sname].c_str());
  return function;
}

inline void launch(const void* stub, const char* kernel, const void** arguments) {
  const Configuration c = configuration;
  call_driver("cuLaunchKernel", function_of(stub, kernel), c.grid.x, c.grid.y, c.grid.z, c.block.x,
              c.block.y, c.block.z, static_cast<unsigned>(c.shared), c.stream, arguments,
              static_cast<void**>(nullptr));
}

template <class Value>
const void* address_of(const Value& value) {
  return std::addressof(value);
}

[[noreturn]] inline void only_on_device() {
  throw std::logic_error("a device function was called on the host");
}

template <class Function>
cudaError_t set_attribute(Function* kernel, cudaFuncAttribute attribute, int value) {
  call_driver("cuFuncSetAttribute",
              function_of(reinterpret_cast<const void*>(kernel), "cudaFuncSetAttribute"),
              static_cast<int>(attribute), value);
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

/// Called by whoever loads the library, before anything of it runs. Both outlive it.
extern "C" __attribute__((used, visibility("default"))) inline void assay_gpu_module(
    const void* image, const char* functions) {
  auto& side = assay::gpu::device_side;
  side.image = image;
  const std::string lines = functions;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t tab = lines.find('\t', begin);
    const std::size_t end = lines.find('\n', begin);
    if (tab == std::string::npos || end == std::string::npos) return;
    side.functions[lines.substr(begin, tab - begin)] = lines.substr(tab + 1, end - tab - 1);
    begin = end + 1;
  }
}
