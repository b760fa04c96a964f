#include <cstdlib>
#include <cstring>

#include <sys/sysinfo.h>

#include "api_state.hpp"
#include "poison.hpp"

namespace assay::simt {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kPitchAlignment = 512;

bool is_device(cudaMemoryType type) {
  return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged;
}

bool is_valid(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

void copy_rows(char* to, std::size_t to_pitch, const char* from, std::size_t from_pitch,
               std::size_t width, std::size_t height) {
  for (std::size_t row = 0; row < height; ++row) {
    std::memmove(to + row * to_pitch, from + row * from_pitch, width);
  }
}

}  // namespace

Allocations& Allocations::instance() {
  static auto* const allocations = new Allocations;  // used by static destructors of programs
  return *allocations;
}

void Allocations::add(void* pointer, Allocation allocation) {
  const std::lock_guard lock(mutex_);
  by_address_[reinterpret_cast<std::uintptr_t>(pointer)] = allocation;
  if (is_device(allocation.type)) bytes_in_use_ += allocation.bytes;
}

Allocation Allocations::remove(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = by_address_.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == by_address_.end()) return {};
  const Allocation allocation = found->second;
  if (is_device(allocation.type)) bytes_in_use_ -= allocation.bytes;
  by_address_.erase(found);
  return allocation;
}

Allocation Allocations::find(const void* pointer, void** base) {
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return {};
  --after;
  if (address >= after->first + after->second.bytes) return {};
  if (base != nullptr) *base = reinterpret_cast<void*>(after->first);
  return after->second;
}

std::vector<assay_simt_allocation> Allocations::list() {
  const std::lock_guard lock(mutex_);
  std::vector<assay_simt_allocation> all;
  for (const auto& [address, allocation] : by_address_) {
    all.push_back({reinterpret_cast<void*>(address), allocation.bytes, allocation.name.c_str(), 1,
                   allocation.written ? 1U : 0U});
  }
  return all;
}

void Allocations::note_write(const void* pointer) {
  const std::lock_guard lock(mutex_);
  auto after = by_address_.upper_bound(reinterpret_cast<std::uintptr_t>(pointer));
  if (after != by_address_.begin()) (--after)->second.written = true;
}

void Allocations::note_launch() {
  const std::lock_guard lock(mutex_);
  for (auto& [address, allocation] : by_address_) allocation.written = true;
}

std::size_t Allocations::bytes_in_use() {
  const std::lock_guard lock(mutex_);
  return bytes_in_use_;
}

std::size_t total_memory() {
  struct sysinfo info;
  if (sysinfo(&info) != 0) return std::size_t{1} << 32U;
  return static_cast<std::size_t>(info.totalram) * info.mem_unit;
}

}  // namespace assay::simt

using namespace assay::simt;

extern "C" {

cudaError_t assay_simt_malloc(void** pointer, std::size_t bytes, cudaMemoryType type) {
  if (pointer == nullptr) return remember(cudaErrorInvalidValue);
  if (const cudaError_t error = remember(cudaSuccess); error != cudaSuccess) return error;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > total_memory()) return remember(cudaErrorMemoryAllocation);
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded);
  if (memory == nullptr) return remember(cudaErrorMemoryAllocation);
  poison(memory, bytes);
  Allocations::instance().add(memory, {bytes, type, type != cudaMemoryTypeDevice,
                                       "cudaMalloc(" + std::to_string(bytes) + ")"});
  *pointer = memory;
  return cudaSuccess;
}

cudaError_t assay_simt_malloc_pitch(void** pointer, std::size_t* pitch, std::size_t width,
                                    std::size_t height) {
  if (pitch == nullptr) return remember(cudaErrorInvalidValue);
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return assay_simt_malloc(pointer, *pitch * height, cudaMemoryTypeDevice);
}

cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return remember(cudaSuccess);
  if (!is_device(Allocations::instance().remove(pointer).type)) {
    return remember(cudaErrorInvalidValue);
  }
  std::free(pointer);
  return remember(cudaSuccess);
}

cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr) return remember(cudaSuccess);
  if (Allocations::instance().remove(pointer).type != cudaMemoryTypeHost) {
    return remember(cudaErrorInvalidValue);
  }
  std::free(pointer);
  return remember(cudaSuccess);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned /*flags*/) {
  if (pointer == nullptr || bytes == 0) return remember(cudaErrorInvalidValue);
  if (Allocations::instance().find(pointer, nullptr).type != cudaMemoryTypeUnregistered) {
    return remember(cudaErrorHostMemoryAlreadyRegistered);
  }
  Allocations::instance().add(pointer, {bytes, cudaMemoryTypeHost, true, "registered memory"});
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
  const bool known = Allocations::instance().remove(pointer).type == cudaMemoryTypeHost;
  return remember(known ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t assay_simt_host_device_pointer(void** device, void* host) {
  if (Allocations::instance().find(host, nullptr).type == cudaMemoryTypeUnregistered) {
    return remember(cudaErrorInvalidValue);
  }
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return remember(cudaErrorInvalidValue);
  const Allocation allocation = Allocations::instance().find(pointer, nullptr);
  auto* address = const_cast<void*>(pointer);
  const bool known = allocation.type != cudaMemoryTypeUnregistered;
  attributes->type = allocation.type;
  attributes->device = known ? 0 : cudaInvalidDeviceId;
  attributes->devicePointer = known ? address : nullptr;
  attributes->hostPointer = allocation.type == cudaMemoryTypeDevice ? nullptr : address;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (!is_valid(kind)) return remember(cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return remember(cudaSuccess);
  if (to == nullptr || from == nullptr) return remember(cudaErrorInvalidValue);
  std::memmove(to, from, bytes);
  Allocations::instance().note_write(to);
  return remember(cudaSuccess);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (!is_valid(kind)) return remember(cudaErrorInvalidMemcpyDirection);
  if (width > to_pitch || width > from_pitch) return remember(cudaErrorInvalidPitchValue);
  if (width == 0 || height == 0) return remember(cudaSuccess);
  if (to == nullptr || from == nullptr) return remember(cudaErrorInvalidValue);
  copy_rows(static_cast<char*>(to), to_pitch, static_cast<const char*>(from), from_pitch, width,
            height);
  Allocations::instance().note_write(to);
  return remember(cudaSuccess);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  if (p == nullptr || p->srcArray != nullptr || p->dstArray != nullptr || !is_valid(p->kind)) {
    return remember(cudaErrorInvalidValue);
  }
  const auto start = [](const cudaPitchedPtr& pointer, const cudaPos& at) {
    return static_cast<char*>(pointer.ptr) + at.x + pointer.pitch * (at.y + pointer.ysize * at.z);
  };
  char* to = start(p->dstPtr, p->dstPos);
  const char* from = start(p->srcPtr, p->srcPos);
  for (std::size_t z = 0; z < p->extent.depth; ++z) {
    copy_rows(to + z * p->dstPtr.pitch * p->dstPtr.ysize, p->dstPtr.pitch,
              from + z * p->srcPtr.pitch * p->srcPtr.ysize, p->srcPtr.pitch, p->extent.width,
              p->extent.height);
  }
  Allocations::instance().note_write(to);
  return remember(cudaSuccess);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  if (bytes == 0) return remember(cudaSuccess);
  if (pointer == nullptr) return remember(cudaErrorInvalidValue);
  std::memset(pointer, value, bytes);
  Allocations::instance().note_write(pointer);
  return remember(cudaSuccess);
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  if (width > pitch) return remember(cudaErrorInvalidPitchValue);
  if (pointer == nullptr && width * height > 0) return remember(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row) {
    std::memset(static_cast<char*>(pointer) + row * pitch, value, width);
  }
  Allocations::instance().note_write(pointer);
  return remember(cudaSuccess);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  for (std::size_t z = 0; z < extent.depth; ++z) {
    char* slice = static_cast<char*>(pointer.ptr) + z * pointer.pitch * pointer.ysize;
    const cudaError_t error =
        cudaMemset2D(slice, pointer.pitch, value, extent.width, extent.height);
    if (error != cudaSuccess) return error;
  }
  return remember(cudaSuccess);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (pointer == nullptr) return remember(cudaErrorInvalidValue);
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return assay_simt_malloc_pitch(&pointer->ptr, &pointer->pitch, extent.width,
                                 extent.height * extent.depth);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return remember(cudaErrorInvalidValue);
  const std::size_t used = Allocations::instance().bytes_in_use();
  *total_bytes = total_memory();
  *free_bytes = used < *total_bytes ? *total_bytes - used : 0;
  return remember(cudaSuccess);
}
}
