#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace assay::tensor {

/// A GPU that works on our tensors, if there is one. Its memory has ordinary addresses: the
/// processor may read and write it too, only slowly. It computes the same bits as the processor
/// would (device_code/work.hpp). If a function returns false, nothing was done, and the processor
/// must do the work.
class Accelerator {
 public:
  Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  Accelerator(Accelerator&&) = delete;
  Accelerator& operator=(Accelerator&&) = delete;
  virtual ~Accelerator() = default;

  /// Null where no memory is left.
  [[nodiscard]] virtual std::byte* allocate(std::size_t size) = 0;
  virtual void release(std::byte* memory, std::size_t size) = 0;

  /// From anywhere to anywhere.
  [[nodiscard]] virtual bool copy(const std::byte* from, std::byte* to, std::size_t size) = 0;

  struct Launch {
    const char* kernel = nullptr;  // of device_code/work.cu
    std::uint64_t elements = 0;    // over which its threads go
    std::uint64_t blocks = 0;      // exactly so many; 0: as many as are worth it
  };
  /// Runs a kernel and waits for it. `task` is its first argument; the second points to `result`,
  /// which is copied there and back.
  [[nodiscard]] virtual bool run(const Launch& launch, void* task, std::span<std::byte> result) = 0;

  template <class Task, class Result>
  [[nodiscard]] bool run(const Launch& launch, Task task, std::span<Result> result) {
    return run(launch, static_cast<void*>(&task), std::as_writable_bytes(result));
  }
  template <class Task>
  [[nodiscard]] bool run(const Launch& launch, Task task) {
    return run(launch, static_cast<void*>(&task), {});
  }
};

/// Fills memory that it reaches with a pattern of two bytes, the low one first.
[[nodiscard]] bool fill_on(Accelerator& accelerator, std::byte* to, std::size_t size,
                           std::uint32_t pattern);
/// Whether two parts of memory that it reaches are the same; nothing where it does not work.
[[nodiscard]] std::optional<bool> same_on(Accelerator& accelerator, const std::byte* a,
                                          const std::byte* b, std::size_t size);

/// Bytes; below, the processor is done sooner.
inline constexpr std::size_t kWorthAccelerating = std::size_t{1} << 20U;

/// For all tensors that are made from now on. It must outlive them; null: the processor does
/// everything.
void install(Accelerator* accelerator);

/// Who can work on all of these; null: the processor alone.
[[nodiscard]] Accelerator* accelerator_of(std::initializer_list<std::span<const std::byte>> arrays);

}  // namespace assay::tensor
