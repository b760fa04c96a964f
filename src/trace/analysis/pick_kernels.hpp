#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/ncu_name.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A kernel worth a look with Nsight Compute, and which of its launches to look at.
struct KernelPick {
  std::size_t rank = 0;       // of the kernel; 1: the most time
  std::size_t grid_rank = 0;  // of the grid among the kernel's; 1: the most time
  std::string name;
  std::string op_class;
  Shape shape;             // grid and block of the launch
  std::int64_t total = 0;  // of the launches with this grid and block
  double time_pct = 0;     // of all kernel time
  double of_kernel_pct = 0;
  std::uint64_t count = 0;        // launches with this grid and block
  std::uint64_t launch_skip = 0;  // launches that ncu's filters let through before it
  std::uint64_t launch_count = 1;
  std::int64_t duration = 0;  // of the launch chosen
  std::string why;            // that launch
  std::string nvtx_include;   // ncu's expression for the range; empty: the whole run
  std::string name_base;      // of NcuName
  std::string name_regex;
};

struct PickPlan {
  std::string source;                // the profile
  std::vector<std::string> command;  // of the profiled program; empty: not recorded
  std::string set = "full";          // what ncu is to collect
  bool from_profiler_start = false;  // launches count from cudaProfilerStart on
  std::string caution;               // what is left out, why ncu may catch another launch; or empty
  std::vector<KernelPick> picks;
};

/// The `count` kernels with the most time. If `range` is not empty, only kernels inside the ranges
/// it names count. Of each kernel it takes the grids and blocks with the most time, until they hold
/// half of it or are three. Of each of those it takes one launch after the warm-up, with the median
/// time. Kernels that communicate are left out, and `caution` says so.
[[nodiscard]] Result<PickPlan> pick_kernels(Analysis& analysis, std::size_t count,
                                            std::string_view range, RangeRule rule);

/// What its report is called. For the first kernel it is kernel_01 for the grid with the most time,
/// and kernel_01_2 for the next.
[[nodiscard]] std::string export_name(const KernelPick& pick);

/// The arguments of the ncu run for one pick, the program's own last.
[[nodiscard]] std::vector<std::string> ncu_command(const PickPlan& plan, const KernelPick& pick);

/// A line for a POSIX shell.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& argv);

/// One command a line, each under a comment that says what it is for.
[[nodiscard]] std::string ncu_script(const PickPlan& plan);
/// The same as data, for programs.
[[nodiscard]] std::string ncu_yaml(const PickPlan& plan);
/// `top_kernels`
[[nodiscard]] Table pick_table(const PickPlan& plan);

}  // namespace assay::trace
