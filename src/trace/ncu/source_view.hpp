#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// Why warps were found waiting, and how often.
struct StallCount {
  std::string reason;  // "long_scoreboard"
  double samples = 0;
};

/// What the counters say of one instruction.
struct InstructionCounters {
  std::uint64_t offset = 0;  // from the beginning of its function
  std::string sass;          // "LDG"; empty: the report has no code
  std::string file;          // empty: compiled without -lineinfo
  std::uint64_t line = 0;
  double samples = 0;
  std::vector<StallCount> stalls;  // by falling samples, none without
  double executed = 0;             // by warps
  double threads = 0;              // by threads that the predicate let through
  double sectors = 0;              // of L2, for global memory
  double ideal_sectors = 0;        // what the same accesses need at least
};

using LaunchInstructions = std::vector<InstructionCounters>;

/// For each launch the instructions that were counted or sampled, in their order. There are none if
/// the report has no counters by instruction. The section SourceCounters collects them.
[[nodiscard]] std::vector<LaunchInstructions> instructions_of(const NcuReport& report);

/// Counts NcuLaunch::half_moves of every launch whose code the report has.
void count_half_moves(NcuReport& report);

/// What a reason means for the author of the kernel, as the end of a sentence with "waiting". Empty
/// where that is not known.
[[nodiscard]] std::string_view meaning_of_stall(std::string_view reason);

/// `stalls`: why the warps of each launch wait, in percent of the samples, the largest first.
/// `most` limits the rows of each launch, as below.
[[nodiscard]] Table ncu_stall_table(const NcuReport& report,
                                    const std::vector<LaunchInstructions>& instructions,
                                    std::size_t most = 0);

/// `source_lines`: a row per launch and source line, the one with the most samples first.
[[nodiscard]] Table ncu_line_table(const NcuReport& report,
                                   const std::vector<LaunchInstructions>& instructions,
                                   std::size_t most = 0);

/// `instructions`: a row per launch and instruction, in their order. With `most`, only those of
/// each launch with the most samples.
[[nodiscard]] Table ncu_instruction_table(const NcuReport& report,
                                          const std::vector<LaunchInstructions>& instructions,
                                          std::size_t most = 0);

/// For each kernel the instruction where its warps wait most, if one stands out.
[[nodiscard]] std::vector<Finding> hot_spots(const NcuReport& report,
                                             const std::vector<LaunchInstructions>& instructions);

}  // namespace assay::trace
