#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/simt/context_switch.hpp"

namespace assay::simt {

/// Bytes of stack, and so of CUDA local memory, that a thread may use. CUDA itself allows 512 KiB;
/// pages are touched only as used.
inline constexpr std::size_t kStackBytes = std::size_t{256} << 10U;

/// A stack on which one CUDA thread after another runs.
struct Fiber {
  char* bottom = nullptr;  // lowest usable byte; the page below it is never accessible
  char* top = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
#endif
};

/// A context that enters `entry` on an empty stack ending at `top`. `entry` must not return.
inline MachineContext fresh_context(void* top, void (*entry)()) {
  auto address = reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15};
#if defined(__x86_64__)
  address -= 8;  // as if called: the return address would be here
#endif
  return {reinterpret_cast<void*>(address), reinterpret_cast<void*>(entry), nullptr};
}

/// Stacks of one worker, made in slabs and kept until the worker dies.
class FiberPool {
 public:
  FiberPool() = default;
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  /// Null when the system has no memory for another stack.
  [[nodiscard]] Fiber* take() {
    if (free_count_ == 0 && !grow()) return nullptr;
    return free_[--free_count_];
  }
  void give(Fiber* fiber) { free_[free_count_++] = fiber; }

 private:
  struct Slab {
    char* base;
    std::size_t bytes;
    Fiber* fibers;
  };

  [[nodiscard]] bool grow();

  std::vector<Slab> slabs_;
  std::vector<Fiber*> free_;  // as long as there are fibers; the first ones are free
  std::size_t free_count_ = 0;
};

}  // namespace assay::simt
