#include "trace/analysis/operators.hpp"

#include <algorithm>
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

struct Placed {
  std::uint32_t op = kNone;      // a name
  std::uint32_t module = kNone;  // a name
  bool backward = false;

  friend auto operator<=>(const Placed&, const Placed&) = default;
};

class Placer {
 public:
  explicit Placer(const Trace& trace)
      : trace_(trace), backward_(ranges_under(trace, says_backward)) {
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
      out.backward |= backward_[row] != 0;
      if (kinds_[name] == NameKind::op) {
        if (out.op == kNone) out.op = name;
      } else if (out.op == kNone && is_module(row)) {
        out.module = name;
      }
    }
    for (const std::uint32_t row : other) {
      out.backward |= backward_[row] != 0;
      if (out.module == kNone && is_module(row)) out.module = trace_.ranges.name[row];
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_module(std::uint32_t row) const {
    return kinds_[trace_.ranges.name[row]] == NameKind::module ||
           (trace_.ranges.flags[row] & range_automatic) == 0;
  }

  const Trace& trace_;
  std::vector<std::uint8_t> backward_;  // by range
  std::vector<NameKind> kinds_;         // by name
};

struct Sum {
  std::uint64_t kernels = 0;
  std::int64_t total = 0;
  std::map<OpClass, std::int64_t> classes;
};

std::string main_class(const Sum& sum) {
  const auto most =
      std::ranges::max_element(sum.classes, {}, [](const auto& entry) { return entry.second; });
  return std::string(to_string(most->first));
}

}  // namespace

Result<Table> operator_table(Analysis& analysis) {
  const Trace& trace = analysis.trace();
  const Placer placer(trace);
  std::map<Placed, Sum> sums;
  std::int64_t whole = 0;
  bool any = false;
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    const std::uint32_t call = trace.kernels.call[row];
    const Placed placed = placer.place(analysis.attribution().same_thread.of_call(call),
                                       analysis.attribution().other_thread.of_call(call));
    any |= placed.op != kNone;
    Sum& sum = sums[placed];
    ++sum.kernels;
    sum.total += trace.kernels.duration(row);
    sum.classes[analysis.classes()[trace.kernels.function[row]].op] += trace.kernels.duration(row);
    whole += trace.kernels.duration(row);
  }
  if (!any) {
    return fail(ErrorCode::not_found,
                "the profile holds no operators of PyTorch: record them with the PyTorch profiler, "
                "or run under torch.autograd.profiler.emit_nvtx");
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
                   sum.kernels, placed.backward ? "backward" : "forward", name(placed.op),
                   name(placed.module), main_class(sum)});
  }
  table.notes.emplace_back(
      "Operator: the outermost one around the launch, which the program called. Backward: launched "
      "under a range that says backward, or by autograd.");
  return table;
}

}  // namespace assay::trace
