#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cuda_api.hpp"

namespace assay::device {

/// The functions of libcuda that we call, in a table so that tests can stand in for the driver.
struct CudaDriver {
  /// Opens libcuda and initialises it. Fails with `not_found` where there is no driver or no
  /// device, and `unavailable` where the driver does not come up.
  [[nodiscard]] static Result<CudaDriver> open();

  cuda::Status (*init)(unsigned flags);
  cuda::Status (*driver_version)(int* version);
  cuda::Status (*error_name)(cuda::Status status, const char** name);
  cuda::Status (*error_string)(cuda::Status status, const char** text);

  cuda::Status (*device_count)(int* count);
  cuda::Status (*device_get)(cuda::Device* device, int ordinal);
  cuda::Status (*device_name)(char* name, int size, cuda::Device device);
  cuda::Status (*device_uuid)(cuda::Uuid* uuid, cuda::Device device);
  cuda::Status (*device_total_memory)(std::size_t* bytes, cuda::Device device);
  cuda::Status (*device_attribute)(int* value, cuda::DeviceAttribute which, cuda::Device device);

  cuda::Status (*primary_context_set_flags)(cuda::Device device, unsigned flags);
  cuda::Status (*primary_context_retain)(cuda::Context* context, cuda::Device device);
  cuda::Status (*context_set_current)(cuda::Context context);
  cuda::Status (*context_synchronize)();
  /// These three are null where the driver has none.
  cuda::Status (*get_limit)(std::size_t* value, cuda::Limit which);
  cuda::Status (*set_limit)(cuda::Limit which, std::size_t value);
  cuda::Status (*reset_persisting_lines)();

  cuda::Status (*module_load_data)(cuda::Module* module, const void* image);
  cuda::Status (*module_get_function)(cuda::Function* function, cuda::Module module,
                                      const char* name);
  cuda::Status (*module_get_global)(cuda::DevicePointer* address, std::size_t* size,
                                    cuda::Module module, const char* name);
  cuda::Status (*function_attribute)(int* value, cuda::FunctionAttribute which,
                                     cuda::Function function);
  cuda::Status (*function_set_attribute)(cuda::Function function, cuda::FunctionAttribute which,
                                         int value);
  cuda::Status (*function_parameter)(cuda::Function function, std::size_t index,
                                     std::size_t* offset, std::size_t* size);  // null before 12.4
  cuda::Status (*max_active_blocks)(int* blocks, cuda::Function function, int block_size,
                                    std::size_t dynamic_shared_bytes);
  cuda::Status (*launch)(const cuda::LaunchConfiguration* configuration, cuda::Function function,
                         void** parameters, void** extra);

  cuda::Status (*memory_info)(std::size_t* free, std::size_t* total);
  cuda::Status (*allocate)(cuda::DevicePointer* address, std::size_t size);
  cuda::Status (*free_memory)(cuda::DevicePointer address);
  cuda::Status (*copy_to_device)(cuda::DevicePointer to, const void* from, std::size_t size);
  cuda::Status (*copy_to_host)(void* to, cuda::DevicePointer from, std::size_t size);
  /// Between any two places of one address space.
  cuda::Status (*copy)(cuda::DevicePointer to, cuda::DevicePointer from, std::size_t size);
  /// Memory that the processor reaches under the same address. Null where the driver has none.
  cuda::Status (*allocate_managed)(cuda::DevicePointer* address, std::size_t size, unsigned flags);
  cuda::Status (*prefetch)(cuda::DevicePointer address, std::size_t size, cuda::Device to,
                           cuda::Stream stream);
  cuda::Status (*copy_on_device)(cuda::DevicePointer to, cuda::DevicePointer from, std::size_t size,
                                 cuda::Stream stream);
  cuda::Status (*set_words)(cuda::DevicePointer to, unsigned value, std::size_t count,
                            cuda::Stream stream);
  cuda::Status (*set_bytes)(cuda::DevicePointer to, unsigned char value, std::size_t count,
                            cuda::Stream stream);

  cuda::Status (*register_host_memory)(void* memory, std::size_t size, unsigned flags);
  cuda::Status (*unregister_host_memory)(void* memory);
  cuda::Status (*device_view)(cuda::DevicePointer* address, void* memory, unsigned flags);

  cuda::Status (*granularity)(std::size_t* bytes, const cuda::AllocationProperties* properties,
                              int option);
  cuda::Status (*create_allocation)(cuda::AllocationHandle* handle, std::size_t size,
                                    const cuda::AllocationProperties* properties,
                                    unsigned long long flags);
  cuda::Status (*release_allocation)(cuda::AllocationHandle handle);
  cuda::Status (*export_allocation)(void* descriptor, cuda::AllocationHandle handle, int type,
                                    unsigned long long flags);
  cuda::Status (*import_allocation)(cuda::AllocationHandle* handle, void* descriptor, int type);
  cuda::Status (*reserve_address)(cuda::DevicePointer* address, std::size_t size,
                                  std::size_t alignment, cuda::DevicePointer hint,
                                  unsigned long long flags);
  cuda::Status (*free_address)(cuda::DevicePointer address, std::size_t size);
  cuda::Status (*map)(cuda::DevicePointer address, std::size_t size, std::size_t offset,
                      cuda::AllocationHandle handle, unsigned long long flags);
  cuda::Status (*unmap)(cuda::DevicePointer address, std::size_t size);
  cuda::Status (*set_access)(cuda::DevicePointer address, std::size_t size,
                             const cuda::AccessDescription* access, std::size_t count);

  cuda::Status (*stream_create)(cuda::Stream* stream, unsigned flags);
  cuda::Status (*stream_synchronize)(cuda::Stream stream);
  cuda::Status (*wait_value)(cuda::Stream stream, cuda::DevicePointer address, std::uint32_t value,
                             unsigned flags);
  cuda::Status (*begin_capture)(cuda::Stream stream, int mode);
  cuda::Status (*end_capture)(cuda::Stream stream, cuda::Graph* graph);
  cuda::Status (*instantiate_graph)(cuda::GraphExecution* execution, cuda::Graph graph,
                                    unsigned long long flags);
  cuda::Status (*launch_graph)(cuda::GraphExecution execution, cuda::Stream stream);
  cuda::Status (*event_create)(cuda::Event* event, unsigned flags);
  cuda::Status (*event_destroy)(cuda::Event event);
  cuda::Status (*event_record)(cuda::Event event, cuda::Stream stream);
  cuda::Status (*event_elapsed)(float* milliseconds, cuda::Event start, cuda::Event end);
};

/// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered".
[[nodiscard]] std::string describe(const CudaDriver& driver, cuda::Status status);

/// Nothing on success. Otherwise an error such as "cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY: …". It is
/// `resource_exhausted` if memory ran out, else `unavailable`.
[[nodiscard]] Result<void> check(const CudaDriver& driver, cuda::Status status,
                                 std::string_view what);

/// "GPU-5dc2f1a0-…" as NVML and CUDA_VISIBLE_DEVICES write it.
[[nodiscard]] std::string to_string(const cuda::Uuid& uuid);

}  // namespace assay::device
