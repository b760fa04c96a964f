#include "trace/analysis/operators.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// What a range's name says of it; each name is looked at once.
enum class NameKind : std::uint8_t { other, op, module };

NameKind kind_of(std::string_view name) {
  if (name.starts_with("aten::")) return NameKind::op;
  return name.starts_with("nn.Module:") ? NameKind::module : NameKind::other;
}

bool says_backward(std::string_view name) {
  return glob_match("*backward*", name) || name.starts_with("autograd::engine");
}

bool says_optimizer(std::string_view name) {
  return name.starts_with("Optimizer.") || glob_match("*optimizer*", name);
}

/// What a kernel was launched for, as the ranges around its launch tell.
enum class Phase : std::uint8_t { unknown, forward, backward, optimizer };

struct Placed {
  std::uint32_t op = kNone;      // a name
  std::uint32_t module = kNone;  // a name
  Phase phase = Phase::unknown;

  friend auto operator<=>(const Placed&, const Placed&) = default;
};

class Placer {
 public:
  explicit Placer(const Trace& trace)
      : trace_(trace),
        backward_(ranges_under(trace, says_backward)),
        optimizer_(ranges_under(trace, says_optimizer)) {
    kinds_.reserve(trace.strings.size());
    for (std::uint32_t id = 0; id < trace.strings.size(); ++id) {
      kinds_.push_back(kind_of(trace.strings.view(id)));
    }
  }

  /// The outermost operator, which is what the program called, and the innermost range of the
  /// author's or module around it.
  [[nodiscard]] Placed place(std::span<const std::uint32_t> same,
                             std::span<const std::uint32_t> other) const {
    Placed out;
    for (const std::uint32_t row : same) {
      const std::uint32_t name = trace_.ranges.name[row];
      note_phase(row, out);
      if (kinds_[name] == NameKind::op) {
        if (out.op == kNone) out.op = name;
      } else if (out.op == kNone && is_module(row)) {
        out.module = name;
      }
    }
    const bool told = out.module != kNone;
    for (const std::uint32_t row : other) {
      note_phase(row, out);
      if (!told && is_module(row)) out.module = trace_.ranges.name[row];
    }
    return out;
  }

 private:
  void note_phase(std::uint32_t row, Placed& out) const {
    const Phase phase = backward_[row] != 0    ? Phase::backward
                        : optimizer_[row] != 0 ? Phase::optimizer
                                               : Phase::forward;
    out.phase = std::max(out.phase, phase);
  }

  [[nodiscard]] bool is_module(std::uint32_t row) const {
    return kinds_[trace_.ranges.name[row]] == NameKind::module ||
           (trace_.ranges.flags[row] & range_automatic) == 0;
  }

  const Trace& trace_;
  std::vector<std::uint8_t> backward_;   // by range
  std::vector<std::uint8_t> optimizer_;  // by range
  std::vector<NameKind> kinds_;          // by name
};

struct Sum {
  std::uint64_t kernels = 0;
  std::int64_t total = 0;
  std::array<std::int64_t, kOpClassNames.size()> classes{};  // by OpClass
};

bool has_operators(const Trace& trace) {
  return std::ranges::any_of(trace.ranges.name,
                             [&, last = kNone, found = false](std::uint32_t name) mutable {
                               if (name != last)
                                 found = kind_of(trace.strings.view(name)) == NameKind::op;
                               last = name;
                               return found;
                             });
}

Cell phase_cell(Phase phase) {
  switch (phase) {
    case Phase::unknown:
      break;
    case Phase::forward:
      return "forward";
    case Phase::backward:
      return "backward";
    case Phase::optimizer:
      return "optimizer";
  }
  return {};
}

std::string main_class(const Sum& sum) {
  const auto most = std::ranges::max_element(sum.classes);
  return std::string(to_string(static_cast<OpClass>(most - sum.classes.begin())));
}

}  // namespace

Result<Table> operator_table(Analysis& analysis) {
  const Trace& trace = analysis.trace();
  if (trace.kernels.empty() || !has_operators(trace)) {
    return fail(ErrorCode::not_found,
                "the profile holds no operators of PyTorch: record them with the PyTorch profiler, "
                "or run under torch.autograd.profiler.emit_nvtx");
  }
  const Placer placer(trace);
  const Attribution& attribution = analysis.attribution();
  const auto& classes = analysis.classes();
  std::map<Placed, Sum> sums;
  std::int64_t whole = 0;
  // Calls that follow each other share their sets of ranges, as a rule.
  std::span<const std::uint32_t> last_same;
  std::span<const std::uint32_t> last_other;
  Sum* last = nullptr;
  const auto is = [](std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    return a.size() == b.size() && (a.empty() || a.data() == b.data());
  };
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    const std::uint32_t call = trace.kernels.call[row];
    const auto same = attribution.same_thread.of_call(call);
    const auto other = attribution.other_thread.of_call(call);
    if (last == nullptr || !is(same, last_same) || !is(other, last_other)) {
      last = &sums[placer.place(same, other)];
      last_same = same;
      last_other = other;
    }
    const std::int64_t took = trace.kernels.duration(row);
    ++last->kernels;
    last->total += took;
    last->classes[static_cast<std::size_t>(classes[trace.kernels.function[row]].op)] += took;
    whole += took;
  }
  std::vector<std::pair<Placed, Sum>> rows(sums.begin(), sums.end());
  std::ranges::stable_sort(
      rows, [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
  Table table{.name = "operators",
              .title = "Kernel time by operator and module",
              .columns = {{"time_pct", "Time", ColumnType::percent},
                          {"total_ns", "Total time", ColumnType::duration},
                          {"kernels", "Kernels", ColumnType::integer},
                          {"pass", "Pass", ColumnType::text},
                          {"operator", "Operator", ColumnType::text},
                          {"module", "Module or range", ColumnType::text},
                          {"op_class", "Mostly", ColumnType::text}}};
  const auto name = [&](std::uint32_t id) {
    return id == kNone ? Cell() : Cell(trace.strings.view(id));
  };
  for (const auto& [placed, sum] : rows) {
    table.add_row({share_pct(static_cast<double>(sum.total), static_cast<double>(whole)), sum.total,
                   sum.kernels, phase_cell(placed.phase), name(placed.op), name(placed.module),
                   main_class(sum)});
  }
  table.notes.emplace_back(
      "Operator: the outermost one around the launch, which the program called. Backward: launched "
      "under a range that says backward, or by autograd. Optimizer: under a range that says so. "
      "Nothing is said of kernels that no range holds.");
  return table;
}

}  // namespace assay::trace
