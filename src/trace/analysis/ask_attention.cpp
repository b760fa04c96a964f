#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/ask_parts.hpp"
#include "trace/analysis/attention_flops.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

struct Part {
  std::uint64_t kernels = 0;
  std::int64_t time = 0;
};

/// Time of the operations inside attention, and how they were told apart.
struct Parts {
  Part scores;
  Part softmax;
  Part values;
  Part matmul;  // scores and values, or all matrix multiplications where they are not apart
  Part fused;
  Part other;
  std::string how;
};

Part total_of_kernels(const std::vector<NamedSummary>& kernels) {
  Part part;
  for (const NamedSummary& kernel : kernels) {
    part.kernels += kernel.summary.count;
    part.time += kernel.summary.total;
  }
  return part;
}

/// What was launched in the first of `names` that occurs inside `scope`.
Part part_in(Analysis& analysis, std::string_view scope, RangeRule rule,
             std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const std::string inner = fmt::format("{} > {}", scope, name);
    if (!analysis.ranges_named(inner)) continue;
    if (auto kernels = analysis.kernels_within(inner, rule, KernelNaming::demangled)) {
      return total_of_kernels(*kernels);
    }
  }
  return {};
}

/// By the author's ranges inside attention, where there are any.
bool by_ranges(Analysis& analysis, std::string_view scope, RangeRule rule, Parts& parts) {
  parts.softmax = part_in(analysis, scope, rule, {"*softmax*"});
  parts.scores = part_in(analysis, scope, rule, {"*score*", "*qk*", "*q@k*"});
  parts.values = part_in(analysis, scope, rule, {"*final*matmul*", "*value*", "*attn*v*", "*@v*"});
  if (parts.softmax.kernels == 0 || parts.scores.kernels + parts.values.kernels == 0) return false;
  parts.matmul = {.kernels = parts.scores.kernels + parts.values.kernels,
                  .time = parts.scores.time + parts.values.time};
  parts.how = "by the ranges inside it";
  return true;
}

void by_classes(const std::vector<ClassSum>& classes, Parts& parts) {
  parts.scores = {};
  parts.values = {};
  parts.softmax = {};
  for (const ClassSum& sum : classes) {
    Part& part = sum.op == OpClass::softmax     ? parts.softmax
                 : sum.op == OpClass::gemm      ? parts.matmul
                 : sum.op == OpClass::attention ? parts.fused
                                                : parts.other;
    part.kernels += sum.count;
    part.time += sum.total;
  }
  parts.how = "by the classes of its kernels";
}

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

class AttentionTable {
 public:
  explicit AttentionTable(std::uint64_t calls, const AskOptions& options) : calls_(calls) {
    table_ = {.name = "attention_parts",
              .title = "Softmax and matrix multiplication inside attention",
              .columns = {{"operation", "Operation", ColumnType::text},
                          {"kernels", "Kernels", ColumnType::integer},
                          {"time_ns", "Time", ColumnType::duration},
                          {"flop", "Operations", ColumnType::flop},
                          {"flop_per_s", "Rate", ColumnType::flop_per_second}}};
    if (options.shape) {
      table_.notes.push_back(fmt::format(
          "Operations of {} calls with batch {}, {} heads, {} queries, {} keys of {} dimensions: "
          "2bhqkd for each matrix multiplication, 5bhqk for softmax (largest, subtract, "
          "exponentiate, add, divide), every score counted, masked or not.",
          calls, options.shape->batch, options.shape->heads, options.shape->queries,
          options.shape->keys, options.shape->head_dim));
    }
  }

  void add(std::string_view operation, const Part& part, std::uint64_t flops_per_call) {
    if (part.kernels == 0) return;
    const std::uint64_t flops = flops_per_call * calls_;
    const bool known = flops > 0;
    table_.add_row({operation, part.kernels, part.time, known ? Cell(flops) : Cell(),
                    known && part.time > 0
                        ? Cell(static_cast<double>(flops) * 1e9 / static_cast<double>(part.time))
                        : Cell()});
  }

  [[nodiscard]] Table take() && { return std::move(table_); }

 private:
  Table table_;
  std::uint64_t calls_;
};

std::string missing(const Parts& parts, std::string_view scope) {
  if (parts.fused.kernels > 0) {
    return fmt::format(
        "Attention inside '{}' is a fused kernel ({} launches, {}): it does softmax "
        "and the matrix multiplications at once, and a timeline cannot tell their "
        "times apart.",
        scope, parts.fused.kernels, shown(parts.fused.time));
  }
  return fmt::format(
      "Inside '{}' there are {} softmax kernels and {} matrix multiplications: both "
      "are needed to compare.",
      scope, parts.softmax.kernels, parts.matmul.kernels);
}

}  // namespace

Report ask_attention(Analysis& analysis, const AskOptions& options) {
  Answer answer;
  const std::string scope =
      range_or_usual(analysis, options.range,
                     {"scaled_dot_product_attention", "scaled dot product attention",
                      "*dot*product*attention*", "self_attention", "*attention*"});
  if (scope.empty()) {
    return std::move(answer).abstained(
        "The profile has no range that says attention: kernels outside it cannot be told from "
        "those "
        "inside. Mark attention with NVTX, or name the range.");
  }
  const auto chosen = analysis.ranges_named(scope);
  if (!chosen) return std::move(answer).abstained(chosen.error().message());
  const auto kernels = analysis.kernels_within(scope, options.rule, KernelNaming::demangled);
  if (!kernels || kernels->empty()) {
    return std::move(answer).abstained(
        fmt::format("No kernel is known to have been launched inside '{}'.", scope));
  }
  const auto classes = class_sums(*kernels, analysis.classifier());
  Parts parts;
  if (!by_ranges(analysis, scope, options.rule, parts)) by_classes(classes, parts);
  answer.report.tables.push_back(class_table(classes));
  if (parts.softmax.time == 0 || parts.matmul.time == 0) {
    return std::move(answer).abstained(missing(parts, scope));
  }

  const std::uint64_t calls = outermost(analysis.trace(), *chosen).size();
  const AttentionFlops flops = options.shape ? attention_flops(*options.shape) : AttentionFlops{};
  AttentionTable table(calls, options);
  table.add("scores (QK^T)", parts.scores, flops.scores);
  table.add("softmax", parts.softmax, flops.softmax);
  table.add("values (AV)", parts.values, flops.values);
  table.add("matrix multiplication", parts.matmul, flops.matmul());
  answer.report.tables.push_back(std::move(table).take());

  const double time_ratio =
      ratio(static_cast<double>(parts.softmax.time), static_cast<double>(parts.matmul.time));
  std::string message = fmt::format(
      "Inside '{}' ({} calls) softmax takes {} and matrix multiplication {}, told apart {}: "
      "softmax "
      "takes {:.2f} times the time.",
      scope, calls, shown(parts.softmax.time), shown(parts.matmul.time), parts.how, time_ratio);
  std::vector<Fact> evidence = {
      {"softmax_ns", "Softmax", parts.softmax.time, ColumnType::duration},
      {"matmul_ns", "Matrix multiplication", parts.matmul.time, ColumnType::duration},
      {"time_ratio", "Softmax to matmul, time", time_ratio, ColumnType::real}};
  if (!options.shape) {
    message += " How the operations compare is not known: give the shape of a call.";
  } else {
    const double flop_ratio =
        ratio(static_cast<double>(flops.softmax), static_cast<double>(flops.matmul()));
    message += fmt::format(
        " It does {:.4f} times the operations ({} against {} a call; QK^T alone is "
        "{}), so an operation of softmax takes {:.1f} times as long: it is bound "
        "by memory, not by arithmetic.",
        flop_ratio, flops.softmax, flops.matmul(), flops.scores, ratio(time_ratio, flop_ratio));
    evidence.push_back({"qk_flop", "QK^T, a call", flops.scores, ColumnType::flop});
    evidence.push_back({"softmax_flop", "Softmax, a call", flops.softmax, ColumnType::flop});
    evidence.push_back(
        {"flop_ratio", "Softmax to matmul, operations", flop_ratio, ColumnType::real});
  }
  return std::move(answer).answered(std::move(message), std::move(evidence));
}

}  // namespace assay::trace
