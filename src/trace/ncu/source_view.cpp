#include "trace/ncu/source_view.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/ncu/cubin.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sass.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kSampled = "smsp__pcsamp_warps_issue_stalled_";

constexpr double kMostAddress = 9e15;       // below it doubles are exact
constexpr std::size_t kMostFunctions = 64;  // that a kernel calls: a report may claim any number

/// A function that a launch ran, with its code where the report has it.
struct Loaded {
  std::uint64_t address = 0;
  const CubinFunction* code = nullptr;
};

/// Code of functions, each looked up once however many launches ran it.
class Codes {
 public:
  explicit Codes(const NcuReport& report) : report_(report) {}

  /// By rising address.
  std::vector<Loaded> loaded_by(const NcuLaunch& launch) {
    std::map<std::uint64_t, std::string> names;
    const NcuModule* module = report_.module_of(launch);
    if (module != nullptr) {
      for (const NcuFunctionAddress& function : module->functions) {
        if (names.size() == kMostFunctions) break;
        names[function.address] = function.name;
      }
    }
    // The metric's value is how many functions there are; the first is the kernel.
    const NcuMetric* own = launch.find("launch__function_pcs");
    if (own != nullptr && !own->instances.empty()) {
      const auto address = own->instances.front().value.number();
      if (address && *address > 0 && *address < kMostAddress) {
        names[static_cast<std::uint64_t>(*address)] = launch.mangled;
      }
    }
    std::vector<Loaded> out;
    out.reserve(names.size());
    for (const auto& [address, name] : names) {
      out.push_back({.address = address,
                     .code = module == nullptr ? nullptr : find(*launch.module, *module, name)});
    }
    return out;
  }

 private:
  const CubinFunction* find(std::size_t number, const NcuModule& module, const std::string& name) {
    const auto [found, added] = codes_.try_emplace({number, name});
    if (added) found->second = find_cubin_function(module.cubin, name);
    return found->second ? &*found->second : nullptr;
  }

  const NcuReport& report_;
  std::map<std::pair<std::size_t, std::string>, std::optional<CubinFunction>> codes_;
};

/// The function that an address is in, or after.
const Loaded* function_at(std::uint64_t address, const std::vector<Loaded>& functions) {
  const auto after = std::ranges::upper_bound(functions, address, {}, &Loaded::address);
  return after == functions.begin() ? nullptr : &*(after - 1);
}

/// Instructions of one launch by address, made as metrics name them.
class Gathered {
 public:
  void add(const NcuLaunch& launch, std::string_view metric, double InstructionCounters::* field) {
    for_each(launch.find(metric),
             [&](InstructionCounters& at, double value) { at.*field = value; });
  }

  void add_stalls(const NcuLaunch& launch) {
    auto metric = std::ranges::lower_bound(launch.metrics, kSampled, {}, &NcuMetric::name);
    for (; metric != launch.metrics.end() && metric->name.starts_with(kSampled); ++metric) {
      if (metric->name.ends_with("_not_issued")) continue;  // a part of what has its name
      const std::string reason = metric->name.substr(kSampled.size());
      for_each(&*metric, [&](InstructionCounters& at, double value) {
        if (value > 0) at.stalls.push_back({reason, value});
      });
    }
  }

  [[nodiscard]] LaunchInstructions take(const std::vector<Loaded>& functions,
                                        std::string_view capability) && {
    LaunchInstructions out;
    for (auto& [address, one] : by_address_) {
      double stalled = 0;
      for (const StallCount& stall : one.stalls) stalled += stall.samples;
      if (one.samples == 0) one.samples = stalled;
      std::ranges::stable_sort(one.stalls, std::ranges::greater(), &StallCount::samples);
      place(address, functions, capability, one);
      out.push_back(std::move(one));
    }
    return out;
  }

 private:
  template <class Set>
  void for_each(const NcuMetric* metric, Set set) {
    if (metric == nullptr) return;
    for (const NcuInstance& instance : metric->instances) {
      const auto address = instance.correlation_id.number();
      const auto value = instance.value.number();
      if (!address || !value || !(*address > 0 && *address < kMostAddress)) continue;
      set(by_address_[static_cast<std::uint64_t>(*address)], *value);
    }
  }

  static void place(std::uint64_t address, const std::vector<Loaded>& functions,
                    std::string_view capability, InstructionCounters& one) {
    one.offset = address;
    const Loaded* function = function_at(address, functions);
    if (function == nullptr) return;
    one.offset = address - function->address;
    if (function->code == nullptr || one.offset >= function->code->code.size()) return;
    one.sass = sass_name(std::string_view(function->code->code).substr(one.offset), capability);
    if (const LineMark* mark = function->code->line_at(one.offset)) {
      one.file = function->code->files[mark->file];
      one.line = mark->line;
    }
  }

  std::map<std::uint64_t, InstructionCounters> by_address_;
};

/// The bytes of the instruction at an address; empty where the report has no code for it.
std::string_view code_at(std::uint64_t address, const std::vector<Loaded>& functions) {
  const Loaded* function = function_at(address, functions);
  if (function == nullptr || function->code == nullptr) return {};
  const std::uint64_t offset = address - function->address;
  const std::string_view code = function->code->code;
  if (offset + kInstructionBytes > code.size()) return {};
  return code.substr(offset, kInstructionBytes);
}

/// Nothing where the code of an instruction that was executed is not known.
std::optional<double> half_moves_in(const NcuMetric& executed, const std::vector<Loaded>& functions,
                                    std::string_view capability) {
  if (executed.instances.empty()) return std::nullopt;
  double moves = 0;
  for (const NcuInstance& instance : executed.instances) {
    const auto address = instance.correlation_id.number();
    if (!address || !(*address > 0 && *address < kMostAddress)) continue;
    const std::string_view code = code_at(static_cast<std::uint64_t>(*address), functions);
    if (code.empty()) return std::nullopt;
    if (is_half_move(code, capability)) moves += instance.value.number().value_or(0);
  }
  return moves;
}

}  // namespace

std::vector<LaunchInstructions> instructions_of(const NcuReport& report) {
  Codes codes(report);
  std::vector<LaunchInstructions> out;
  out.reserve(report.launches.size());
  for (const NcuLaunch& launch : report.launches) {
    Gathered gathered;
    gathered.add(launch, "smsp__pcsamp_sample_count", &InstructionCounters::samples);
    gathered.add_stalls(launch);
    gathered.add(launch, "inst_executed", &InstructionCounters::executed);
    gathered.add(launch, "thread_inst_executed_true", &InstructionCounters::threads);
    gathered.add(launch, "memory_l2_theoretical_sectors_global", &InstructionCounters::sectors);
    gathered.add(launch, "memory_l2_theoretical_sectors_global_ideal",
                 &InstructionCounters::ideal_sectors);
    out.push_back(std::move(gathered).take(codes.loaded_by(launch), launch.compute_capability));
  }
  return out;
}

void count_half_moves(NcuReport& report) {
  Codes codes(report);
  for (NcuLaunch& launch : report.launches) {
    const NcuMetric* executed = launch.find("thread_inst_executed_true");
    if (executed == nullptr || report.module_of(launch) == nullptr) continue;
    launch.half_moves =
        half_moves_in(*executed, codes.loaded_by(launch), launch.compute_capability);
  }
}

std::string_view meaning_of_stall(std::string_view reason) {
  static constexpr std::array kMeanings =
      std::to_array<std::pair<std::string_view, std::string_view>>(
          {{"long_scoreboard", "for data from L2 or device memory"},
           {"short_scoreboard", "for data from shared memory or special functions"},
           {"barrier", "at barriers for other warps of the block"},
           {"wait", "for the fixed latency of the instruction before"},
           {"math_pipe_throttle", "for a free arithmetic pipe"},
           {"lg_throttle", "because the queue for global memory is full"},
           {"mio_throttle", "because the queue for shared memory is full"},
           {"tex_throttle", "because the queue for textures is full"},
           {"gmma", "for tensor core instructions of the warp group"},
           {"no_instruction", "for instructions to be fetched"},
           {"no_instructions", "for instructions to be fetched"},
           {"imc_miss", "for constants that were not in their cache"},
           {"branch_resolving", "for a branch to be decided"},
           {"membar", "at a memory fence"},
           {"sleeping", "because it was told to sleep"},
           {"dispatch_stall", "for the dispatcher"},
           {"not_selected", "while another warp was chosen: there are more than enough"},
           {"drain", "for stores to leave before it ends"}});
  for (const auto& [name, meaning] : kMeanings) {
    if (name == reason) return meaning;
  }
  return {};
}

}  // namespace assay::trace
