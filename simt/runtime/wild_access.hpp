#pragma once

#include <cstdint>

#include "block.hpp"

namespace assay::simt {

/// A memory fault of the running thread, as the signal told it.
struct Fault {
  int signal;
  std::uintptr_t address;
  bool has_address;  // false: no pointer can have such an address, and the processor kept it back
  bool is_write;
  const void* code;  // the instruction
};

/// What a fault of the running thread was: address, nearest array, kernel and line.
[[nodiscard]] assay_simt_finding wild_access(Block& block, const Fault& fault);

}  // namespace assay::simt
