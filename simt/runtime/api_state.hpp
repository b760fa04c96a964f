#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "assay/simt/runtime_api.hpp"

// What the calls of the runtime API share.
namespace assay::simt {

/// Keeps an error for cudaGetLastError. If a kernel has failed before, every call answers with that
/// failure until cudaDeviceReset, as in CUDA.
cudaError_t remember(cudaError_t error);
/// The failure of an earlier kernel that cudaDeviceReset has not cleared, or success.
cudaError_t sticky_error();
void forget_errors();

struct Allocation {
  std::size_t bytes = 0;
  cudaMemoryType type = cudaMemoryTypeUnregistered;
  bool written = false;  // wholly or in part: by the host, a copy, or some launch
  std::string name{};    // as reports call it
};

/// Memory the program got from the runtime API, by address.
class Allocations {
 public:
  static Allocations& instance();

  void add(void* pointer, Allocation allocation);
  /// Removes the allocation that starts at `pointer`. If there is none, its type is `unregistered`.
  Allocation remove(void* pointer);
  /// The allocation that holds `pointer`. `base` gets its start.
  [[nodiscard]] Allocation find(const void* pointer, void** base);
  /// All allocations, with bytes as elements. Names are good until the next change.
  [[nodiscard]] std::vector<assay_simt_allocation> list();
  /// Notes a write by the host to the array that holds `pointer`.
  void note_write(const void* pointer);
  /// Notes that a kernel has run, which may have written anything.
  void note_launch();
  [[nodiscard]] std::size_t bytes_in_use();

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, Allocation> by_address_;
  std::size_t bytes_in_use_ = 0;  // of device and managed memory
};

[[nodiscard]] std::size_t total_memory();
[[nodiscard]] unsigned processor_count();
/// Blocks of a cooperative launch that fit at once on one processor of ours.
[[nodiscard]] unsigned blocks_per_processor(unsigned threads, std::size_t shared_bytes);

/// Dynamic shared memory a kernel has been allowed to use, by its name as launched.
[[nodiscard]] std::size_t dynamic_shared_limit(const char* name);

}  // namespace assay::simt
