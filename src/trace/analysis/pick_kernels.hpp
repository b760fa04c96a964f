#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A kernel worth a look with Nsight Compute, and which of its launches to look at.
struct KernelPick {
  std::size_t rank = 0;  // 1: the most time
  std::string name;
  std::string op_class;
  std::int64_t total = 0;
  double time_pct = 0;
  std::uint64_t count = 0;        // launches in the process that launches it most
  std::uint64_t launch_skip = 0;  // launches before the first to profile
  std::uint64_t launch_count = 0;
  std::int64_t duration = 0;  // of the launch chosen
  std::string why;            // that launch
  std::string nvtx_include;   // ncu's expression for the range; empty: the whole run
};

struct PickPlan {
  std::string source;                // the profile
  std::vector<std::string> command;  // of the profiled program; empty: not recorded
  std::vector<KernelPick> picks;
};

/// The `count` kernels with the most time, inside the ranges `range` names where it is not empty.
/// Of each, the first launch after the warm-up whose time is that of the median one.
[[nodiscard]] Result<PickPlan> pick_kernels(Analysis& analysis, std::size_t count,
                                            std::string_view range, RangeRule rule);

/// The arguments of the ncu run for one pick, the program's own last.
[[nodiscard]] std::vector<std::string> ncu_command(const PickPlan& plan, const KernelPick& pick);

/// A line for a POSIX shell.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& argv);

/// `name` with what a regular expression would take for a sign made plain.
[[nodiscard]] std::string regex_escaped(std::string_view name);

/// One command a line, each under a comment that says what it is for.
[[nodiscard]] std::string ncu_script(const PickPlan& plan);
/// The same as data, for programs.
[[nodiscard]] std::string ncu_yaml(const PickPlan& plan);
/// `top_kernels`
[[nodiscard]] Table pick_table(const PickPlan& plan);

}  // namespace assay::trace
