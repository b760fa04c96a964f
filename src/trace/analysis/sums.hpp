#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

enum class KernelNaming : std::uint8_t { demangled, short_name };

/// Kernels by name and falling total time: what `nsys stats -r cuda_gpu_kern_sum` computes.
/// `chosen`, where not empty, has a nonzero byte for each kernel to include.
[[nodiscard]] std::vector<NamedSummary> kernel_sums(const Trace& trace, KernelNaming naming,
                                                    std::span<const std::uint8_t> chosen = {});

[[nodiscard]] std::int64_t total_of(std::span<const NamedSummary> sums);

/// One class of operations and the names in it.
struct ClassSum {
  OpClass op = OpClass::other;
  std::uint64_t count = 0;
  std::int64_t total = 0;
  std::vector<NamedSummary> kernels;  // by falling total
};

/// Kernel sums by class, by falling total; only classes that have kernels.
[[nodiscard]] std::vector<ClassSum> class_sums(std::span<const NamedSummary> kernels,
                                               const OpClassifier& classifier);

/// `kernels`: by name, with the class of each and the rule that gave it.
[[nodiscard]] Table kernel_table(std::span<const NamedSummary> kernels,
                                 const OpClassifier& classifier);
/// `op_classes`: by class.
[[nodiscard]] Table class_table(std::span<const ClassSum> classes);
/// `kernel_shapes`: kernels by name, grid and block.
[[nodiscard]] Table shape_table(const Trace& trace, KernelNaming naming);
/// `cuda_api`
[[nodiscard]] Table call_table(const Trace& trace);
/// `memory_copies`: by kind, with bandwidth.
[[nodiscard]] Table copy_table(const Trace& trace);
/// `memory_sets`
[[nodiscard]] Table fill_table(const Trace& trace);
/// `ranges`: NVTX ranges by name, style and domain.
[[nodiscard]] Table range_table(const Trace& trace);

}  // namespace assay::trace
