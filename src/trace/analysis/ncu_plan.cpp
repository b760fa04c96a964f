#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/pick_kernels.hpp"
#include "trace/json_writer.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kNoProgram = "YOUR_PROGRAM";

/// A double-quoted YAML scalar is a JSON string.
std::string yaml_text(std::string_view text) {
  JsonWriter writer;
  writer.string(text);
  return std::move(writer).take();
}

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

std::string export_name(const KernelPick& pick) {
  return pick.grid_rank <= 1 ? fmt::format("kernel_{:02}", pick.rank)
                             : fmt::format("kernel_{:02}_{}", pick.rank, pick.grid_rank);
}

std::vector<std::string> ncu_command(const PickPlan& plan, const KernelPick& pick) {
  std::vector<std::string> argv = {"ncu",
                                   "--target-processes",
                                   "all",
                                   "--kernel-name-base",
                                   pick.name_base,
                                   "--kernel-name",
                                   fmt::format("regex:{}", pick.name_regex),
                                   "--launch-skip",
                                   std::to_string(pick.launch_skip),
                                   "--launch-count",
                                   std::to_string(pick.launch_count),
                                   "--set",
                                   plan.set,
                                   "--export",
                                   export_name(pick)};
  if (!pick.nvtx_include.empty()) {
    argv.insert(argv.end(), {"--nvtx", "--nvtx-include", pick.nvtx_include});
  }
  if (plan.from_profiler_start) argv.insert(argv.end(), {"--profile-from-start", "off"});
  if (plan.command.empty()) {
    argv.emplace_back(kNoProgram);
  } else {
    argv.insert(argv.end(), plan.command.begin(), plan.command.end());
  }
  return argv;
}

std::string shell_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    line += shell_quoted(word);
  }
  return line;
}

std::string ncu_script(const PickPlan& plan) {
  std::string out;
  if (plan.command.empty()) {
    out += fmt::format("# The profile does not say what was run: put it in place of {}.\n",
                       kNoProgram);
  }
  if (!plan.caution.empty()) out += fmt::format("# {}\n", plan.caution);
  for (const KernelPick& pick : plan.picks) {
    out += fmt::format(
        "# {}. {}% of kernel time, {}% of the kernel's, {} launches: {}\n# Launch {}: {}\n{}\n",
        pick.rank, pick.time_pct, pick.of_kernel_pct, pick.count, to_one_line(pick.name),
        pick.launch_skip, pick.why, shell_line(ncu_command(plan, pick)));
  }
  return out;
}

std::string ncu_yaml(const PickPlan& plan) {
  std::string out = fmt::format("profile: {}\n", yaml_text(plan.source));
  if (!plan.caution.empty()) out += fmt::format("caution: {}\n", yaml_text(plan.caution));
  out += "kernels:\n";
  for (const KernelPick& pick : plan.picks) {
    out += fmt::format(
        "  - rank: {}\n    name: {}\n    regex: {}\n    op_class: {}\n    time_pct: {}\n"
        "    of_kernel_pct: {}\n    grid: [{}, {}, {}]\n    block: [{}, {}, {}]\n"
        "    total_ns: {}\n    launches: {}\n    launch_skip: {}\n    launch_count: {}\n"
        "    duration_ns: {}\n    why: {}\n",
        pick.rank, yaml_text(pick.name), yaml_text(pick.name_regex), pick.op_class, pick.time_pct,
        pick.of_kernel_pct, pick.shape.grid[0], pick.shape.grid[1], pick.shape.grid[2],
        pick.shape.block[0], pick.shape.block[1], pick.shape.block[2], pick.total, pick.count,
        pick.launch_skip, pick.launch_count, pick.duration, yaml_text(pick.why));
    out += "    command:\n";
    for (const std::string& word : ncu_command(plan, pick)) {
      out += fmt::format("      - {}\n", yaml_text(word));
    }
  }
  return out;
}

}  // namespace assay::trace
