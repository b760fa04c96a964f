#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/analysis/analysis.hpp"

namespace assay::trace {

/// The push/pop ranges around a launch, as ncu can filter by them. They go from the first that the
/// thread opened down to the one that was asked for.
struct NvtxPath {
  std::string expression;            // for --nvtx-include; empty: ncu cannot filter by it
  std::uint32_t domain = 0;          // a name
  std::vector<std::uint32_t> names;  // of the author's ranges in it, outermost first

  /// Whether ncu would let a launch by this call through.
  [[nodiscard]] bool holds(Analysis& analysis, std::uint32_t call) const;
};

/// Empty if `ranges` is empty, if another thread opened the range, if it is no push/pop range, or
/// if PyTorch's profiler recorded it: its annotations do not reach NVTX.
[[nodiscard]] NvtxPath nvtx_path(Analysis& analysis, std::uint32_t call,
                                 const std::vector<std::uint8_t>& ranges);

}  // namespace assay::trace
