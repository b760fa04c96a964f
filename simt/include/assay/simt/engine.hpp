#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/simt/context.hpp"
#include "assay/simt_abi.h"

namespace assay::simt {

/// A run of a kernel, as the headers hand it to the runtime.
struct LaunchSpec {
  const char* name;
  unsigned line;     // of the launch, or of the kernel where the launch came from outside
  const char* file;  // as the compiler knows the user's source; null: not known
  void (*run)(const void* closure);  // runs the current thread and those after it
  const void* closure;
  // The host's memory that the loop over threads reads: closure, kernel expression, arguments.
  struct Piece {
    const void* base;
    std::size_t bytes;
  } pieces[3];
  dim3 grid;
  dim3 block;
  std::uint64_t shared_bytes;
  const struct SharedLayout* layout;
  bool instrumented;
  // The arguments that are pointers. Set if host code launches and accesses are checked.
  const struct PointerArgument* pointers = nullptr;
  std::size_t pointer_count = 0;
};

struct PointerArgument {
  const volatile void* value;  // null also for an argument that is no pointer
  unsigned element_size;       // of what it points to
};

/// A static shared variable of a module: where it lies in a block's shared memory.
struct SharedVariable {
  const char* name;
  unsigned offset;
  unsigned size;
  unsigned element_size;
  unsigned line;
  const char* function;  // the kernel it is declared in; empty: some device function
  const SharedVariable* next;
};

/// The static shared memory of one module. Every block has room for all of it. It is not known
/// which kernel uses which variable, and address space is cheap.
struct SharedLayout {
  unsigned bytes = 0;
  const SharedVariable* variables = nullptr;
};

enum class WarpOp : unsigned {
  sync,
  ballot,   // value: predicate
  shuffle,  // argument: lane to read
  match_any,
  match_all,  // result: mask, or 0
  add,
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
};

/// How memory is touched, as the instrumentation tells it.
enum AccessFlags : unsigned {
  kWriteBit = 1,
  kAtomicBit = 2,
  kVolatileBit = 4,
  kBytesBit = 8,   // no alignment is promised: a copy of bytes
  kStoreBit = 16,  // an atomic that reads nothing
  kRead = 0,
  kWrite = kWriteBit,
  kVolatileRead = kVolatileBit,
  kVolatileWrite = kVolatileBit | kWriteBit,
  kBytesRead = kBytesBit,
  kBytesWrite = kBytesBit | kWriteBit,
  kAtomicLoad = kAtomicBit,
  kAtomic = kAtomicBit | kWriteBit,
  kAtomicStore = kAtomicBit | kWriteBit | kStoreBit,
};

enum class BarrierOp : unsigned { none, count, all, any };

}  // namespace assay::simt

// Lines are those of the user's source, taken at the call by __builtin_LINE.
#pragma GCC visibility push(default)
extern "C" {
int assay_simt_launch(const assay::simt::LaunchSpec* spec, const assay_simt_launch_options* options,
                      assay_simt_report* report);

int assay_simt_barrier(assay::simt::BarrierOp op, int predicate, unsigned line);
std::uint64_t assay_simt_warp(assay::simt::WarpOp op, unsigned mask, std::uint64_t value,
                              unsigned argument, unsigned line);
unsigned assay_simt_active_mask(unsigned line);
void assay_simt_grid_barrier(unsigned line);
/// The thread has run to the end of an instrumented kernel, and did not return before.
void assay_simt_ran_through();
bool assay_simt_is_cooperative();
/// Lets other threads run: the caller waits for something they will do.
void assay_simt_yield();

/// Before every load and store of an instrumented module; `caller` tells the line.
void assay_simt_access(void* address, std::size_t bytes, unsigned flags, const void* caller);
/// What the kernel calls its dynamic shared memory.
void assay_simt_name_dynamic_shared(const char* name, unsigned element_size);

/// Which memory an address lies in, as seen by the running thread.
assay_simt_space assay_simt_space_of(const void* address);

[[noreturn]] void assay_simt_trap(unsigned line);
/// Inside a kernel it ends the launch. Outside one it ends the process.
[[noreturn]] void assay_simt_assert_fail(const char* expression, const char* file, unsigned line,
                                         const char* function);
}
#pragma GCC visibility pop
