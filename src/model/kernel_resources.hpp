#pragma once

#include <optional>

namespace assay {

/// What the assembler moved from registers to memory, as `ptxas -v` counts it. These are the bytes
/// moved by the instructions that it added. Only the kernel itself counts, not the functions that
/// it calls.
struct RegisterSpills {
  int store_bytes = 0;
  int load_bytes = 0;
};

/// What a kernel takes of a GPU's multiprocessors when launched as its contract says.
struct KernelResources {
  int registers_per_thread = 0;
  int local_bytes_per_thread = 0;        // stack and spilled registers together
  std::optional<RegisterSpills> spills;  // nothing where the compiler did not say
  int static_shared_bytes = 0;
  int dynamic_shared_bytes = 0;
  int constant_bytes = 0;  // what the source declares; parameters are not counted
  int max_threads_per_block = 0;
  int blocks_per_multiprocessor = 0;  // resident at once; 0: not even one fits
  double occupancy = 0;               // resident warps over those a multiprocessor can hold
};

}  // namespace assay
