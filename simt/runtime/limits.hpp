#pragma once

#include <cstdint>

namespace assay::simt {

inline constexpr std::uint64_t kMaxSharedBytes = 48 * 1024;
/// Dynamic shared memory a kernel may ask for with cudaFuncSetAttribute, as on compute
/// capability 9.0.
inline constexpr std::uint64_t kMaxSharedBytesOptIn = 227 * 1024;
/// Every block of a cooperative launch keeps all its stacks at once.
inline constexpr std::uint64_t kMaxCooperativeBlocks = 256;

}  // namespace assay::simt
