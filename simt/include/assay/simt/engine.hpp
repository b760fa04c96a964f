#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/simt/context.hpp"
#include "assay/simt_abi.h"

namespace assay::simt {

/// A run of a kernel, as the headers hand it to the runtime.
struct LaunchSpec {
  const char* name;
  unsigned line;  // of the launch, or of the kernel where the launch came from outside
  void (*run)(const void* closure);  // runs the current thread and those after it
  const void* closure;
  dim3 grid;
  dim3 block;
  std::uint64_t shared_bytes;
  const struct SharedLayout* layout;
  bool instrumented;
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

/// The static shared memory of one module. Every block has room for all of it: which kernel uses
/// which variable is not known, and address space is cheap.
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
bool assay_simt_is_cooperative();
/// Lets other threads run: the caller waits for something they will do.
void assay_simt_yield();

/// Which memory an address lies in, as seen by the running thread.
assay_simt_space assay_simt_space_of(const void* address);

[[noreturn]] void assay_simt_trap(unsigned line);
/// Ends the launch inside a kernel, the process outside one.
[[noreturn]] void assay_simt_assert_fail(const char* expression, const char* file, unsigned line,
                                         const char* function);
}
#pragma GCC visibility pop
