#include "fiber.hpp"

#include <atomic>
#include <cstdint>

#include <sys/mman.h>

namespace assay::simt {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSlabStacks = 32;
// A guard page splits a mapping in two and Linux allows 65530 mappings; past this many stacks in
// the process the guards are left out rather than the stacks.
constexpr std::uint32_t kGuardedStacks = 16'384;

std::atomic<std::uint32_t> guarded_stacks{0};

/// Stacks start at the same offset in their pages; without a shift their hottest lines would all
/// fall into the same few sets of the first-level cache.
std::size_t cache_shift(std::size_t index) {
  return (index * 5 % 32) * 128;
}

}  // namespace

bool FiberPool::grow() {
  const std::size_t stride = kStackBytes + kPage;
  const std::size_t bytes = kSlabStacks * stride;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  // Huge pages would make every stack cost two megabytes.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  auto* base = static_cast<char*>(memory);
  const bool guard = guarded_stacks.fetch_add(kSlabStacks) < kGuardedStacks;
  auto* fibers = new Fiber[kSlabStacks];
  free_.resize(free_.size() + kSlabStacks);
  for (std::size_t i = kSlabStacks; i-- > 0;) {
    char* low = base + i * stride;
    if (guard) mprotect(low, kPage, PROT_NONE);
    fibers[i].bottom = low + kPage;
    fibers[i].top = low + stride - cache_shift(i);
    give(&fibers[i]);
  }
  slabs_.push_back({base, bytes, fibers});
  return true;
}

FiberPool::~FiberPool() {
  for (const Slab& slab : slabs_) {
    munmap(slab.base, slab.bytes);
    delete[] slab.fibers;
  }
}

}  // namespace assay::simt
