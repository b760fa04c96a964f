#pragma once

// torch's C++ interface to CUDA for the one device there is here, the CPU. Streams keep an order
// that always holds, and guards do nothing.
#include <assay/simt/runtime_api.hpp>
#include <assay/simt/runtime_templates.hpp>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>

namespace c10 {
class CUDAError : public Error {
  using Error::Error;
};
}  // namespace c10

namespace c10::cuda {

inline void check(cudaError_t error, const char* function, const char* file, unsigned line) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw CUDAError({function, file, line}, std::string("CUDA error: ") + cudaGetErrorString(error));
}

inline DeviceIndex device_count() noexcept {
  return 1;
}
inline DeviceIndex device_count_ensure_non_zero() {
  return 1;
}
inline DeviceIndex current_device() {
  return 0;
}
inline void set_device(DeviceIndex, bool = false) {}
inline DeviceIndex ExchangeDevice(DeviceIndex) {
  return 0;
}
inline DeviceIndex MaybeExchangeDevice(DeviceIndex) {
  return 0;
}

class CUDAStream {
 public:
  enum Unchecked { UNCHECKED };
  CUDAStream() = default;
  explicit CUDAStream(cudaStream_t stream) : stream_(stream) {}
  explicit CUDAStream(Stream) {}
  CUDAStream(Unchecked, Stream) {}

  operator cudaStream_t() const { return stream_; }
  operator Stream() const { return unwrap(); }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] Stream unwrap() const { return Stream(Stream::DEFAULT, device()); }
  [[nodiscard]] StreamId id() const { return 0; }
  [[nodiscard]] Device device() const { return Device(DeviceType::CPU); }
  [[nodiscard]] DeviceType device_type() const { return DeviceType::CPU; }
  [[nodiscard]] DeviceIndex device_index() const { return 0; }
  [[nodiscard]] bool query() const { return true; }
  [[nodiscard]] int priority() const { return 0; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), __func__, __FILE__, __LINE__); }
  bool operator==(const CUDAStream& other) const = default;

 private:
  cudaStream_t stream_ = nullptr;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) {
  return {};
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) {
  return {};
}
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) {
  return {};
}
inline CUDAStream getStreamFromPool(int, DeviceIndex = -1) {
  return {};
}
inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex) {
  return CUDAStream(stream);
}
inline void setCurrentCUDAStream(CUDAStream) {}

inline void device_synchronize() {
  check(cudaDeviceSynchronize(), __func__, __FILE__, __LINE__);
}
inline void stream_synchronize(cudaStream_t stream) {
  CUDAStream(stream).synchronize();
}
inline void memcpy_and_sync(void* to, const void* from, std::int64_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  check(cudaMemcpy(to, from, static_cast<std::size_t>(bytes), kind), __func__, __FILE__, __LINE__);
}

/// Every guard of torch's: there is one device and one current stream.
class NoGuard {
 public:
  NoGuard() = default;
  template <class Place>
  explicit NoGuard(const Place&) {}
  NoGuard(const NoGuard&) = delete;
  NoGuard& operator=(const NoGuard&) = delete;
  ~NoGuard() {}  // user-provided: a guard that is never named again draws no warning

  void set_device(Device) {}
  void reset_device(Device) {}
  void set_index(DeviceIndex) {}
  void reset_stream(Stream) {}
  void reset() {}
  [[nodiscard]] Device original_device() const { return Device(DeviceType::CPU); }
  [[nodiscard]] Device current_device() const { return Device(DeviceType::CPU); }
  [[nodiscard]] CUDAStream original_stream() const { return {}; }
  [[nodiscard]] CUDAStream current_stream() const { return {}; }
};
using CUDAGuard = NoGuard;
using OptionalCUDAGuard = NoGuard;
using CUDAStreamGuard = NoGuard;
using OptionalCUDAStreamGuard = NoGuard;
using CUDAMultiStreamGuard = NoGuard;

}  // namespace c10::cuda

namespace c10::cuda::CUDACachingAllocator {

inline void* raw_alloc(std::size_t bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, bytes), __func__, __FILE__, __LINE__);
  return pointer;
}
inline void* raw_alloc_with_stream(std::size_t bytes, cudaStream_t) {
  return raw_alloc(bytes);
}
inline void raw_delete(void* pointer) {
  check(cudaFree(pointer), __func__, __FILE__, __LINE__);
}
inline void emptyCache() {}

}  // namespace c10::cuda::CUDACachingAllocator

namespace at::cuda {

using namespace c10::cuda;

/// Made when first recorded, as torch's own.
class CUDAEvent {
 public:
  CUDAEvent() = default;
  explicit CUDAEvent(unsigned flags) : flags_(flags) {}
  CUDAEvent(const CUDAEvent&) = delete;
  CUDAEvent& operator=(const CUDAEvent&) = delete;
  ~CUDAEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  operator cudaEvent_t() const { return event_; }
  [[nodiscard]] cudaEvent_t event() const { return event_; }
  [[nodiscard]] bool isCreated() const { return event_ != nullptr; }
  [[nodiscard]] bool query() const { return true; }
  void record() { record(CUDAStream()); }
  void recordOnce(const CUDAStream& stream) {
    if (!isCreated()) record(stream);
  }
  void record(const CUDAStream& stream) {
    if (!isCreated()) {
      check(cudaEventCreateWithFlags(&event_, flags_), __func__, __FILE__, __LINE__);
    }
    check(cudaEventRecord(event_, stream), __func__, __FILE__, __LINE__);
  }
  void block(const CUDAStream&) const {}
  void synchronize() const {}
  [[nodiscard]] float elapsed_time(const CUDAEvent& end) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, event_, end.event_), __func__, __FILE__, __LINE__);
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
  unsigned flags_ = cudaEventDefault;
};

inline bool is_available() {
  return true;
}
inline std::int64_t getNumGPUs() {
  return 1;
}
inline int warp_size() {
  return 32;
}
inline cudaDeviceProp* getDeviceProperties(DeviceIndex) {
  static cudaDeviceProp properties = [] {
    cudaDeviceProp read{};
    check(cudaGetDeviceProperties(&read, 0), __func__, __FILE__, __LINE__);
    return read;
  }();
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() {
  return getDeviceProperties(0);
}

}  // namespace at::cuda

namespace assay::simt::torch_cuda {

// Stands in for torch::cuda. The library's own would answer for a GPU.
inline bool is_available() {
  return true;
}
inline bool cudnn_is_available() {
  return false;
}
inline c10::DeviceIndex device_count() {
  return 1;
}
inline void synchronize(std::int64_t = -1) {
  c10::cuda::device_synchronize();
}
inline void manual_seed(std::uint64_t) {}
inline void manual_seed_all(std::uint64_t) {}

}  // namespace assay::simt::torch_cuda

#define C10_CUDA_CHECK(...) ::c10::cuda::check((__VA_ARGS__), __func__, __FILE__, __LINE__)
#define C10_CUDA_CHECK_WARN(...)                                                     \
  do {                                                                               \
    if (const cudaError_t assay_error = (__VA_ARGS__); assay_error != cudaSuccess) { \
      static_cast<void>(cudaGetLastError());                                         \
      TORCH_WARN("CUDA warning: ", cudaGetErrorString(assay_error));                 \
    }                                                                                \
  } while (false)
#define C10_CUDA_ERROR_HANDLED(...) __VA_ARGS__
#define C10_CUDA_IGNORE_ERROR(...) static_cast<void>(__VA_ARGS__)
#define C10_CUDA_CLEAR_ERROR() static_cast<void>(cudaGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
#define TORCH_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
