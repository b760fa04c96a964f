#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/ask_parts.hpp"
#include "trace/analysis/attention_flops.hpp"
#include "trace/analysis/attention_parts.hpp"
#include "trace/analysis/graphs.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

std::string capitalised(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
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

  void add(std::string_view operation, const AttentionPart& part, std::uint64_t flops_per_call) {
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

constexpr std::string_view kWhatToAdd =
    "Mark attention and its parts with NVTX, such as scaled_dot_product_attention around computing "
    "attention scores, computing softmax and final matmul, or name the range that is attention.";

std::string missing(const Trace& trace, const AttentionParts& parts) {
  if (parts.fused.kernels > 0) {
    return fmt::format(
        "Attention {} is a fused kernel ({} launches, {}): it does softmax and the matrix "
        "multiplications at once, and a timeline cannot tell their times apart.",
        parts.scope, parts.fused.kernels, shown(parts.fused.time));
  }
  if (parts.kernels.empty() && !trace.graphs.empty()) {
    return fmt::format(
        "What CUDA graphs launched is not in the profile: they were traced whole ({} launches, "
        "{}). "
        "{}",
        trace.graphs.size(), shown(whole_graph_time(trace)), kRecordNodes);
  }
  if (parts.calls == 0) {
    return fmt::format(
        "The profile has no range and no operator that says attention, and no softmax between two "
        "matrix multiplications: kernels inside attention cannot be told from others. {}",
        kWhatToAdd);
  }
  if (parts.kernels.empty()) {
    return fmt::format("No kernel is known to have been launched {}. {}", parts.scope, kWhatToAdd);
  }
  return fmt::format(
      "There are {} softmax kernels and {} matrix multiplications {}: both are needed to compare. "
      "{}",
      parts.softmax.kernels, parts.matmul.kernels, parts.scope, kWhatToAdd);
}

/// The surest way that gives both times.
AttentionParts parts_of(Analysis& analysis, const AskOptions& options) {
  AttentionParts ranges = attention_by_ranges(analysis, options);
  if (ranges.complete() || ranges.fused.kernels > 0 || !options.range.empty()) return ranges;
  AttentionParts order = attention_by_order(analysis, options);
  // Where fused kernels do the attention, softmax and batched products are of something else.
  if (order.fused.kernels == 0) {
    if (AttentionParts found = attention_by_operators(analysis, options); found.complete()) {
      return found;
    }
  }
  if (order.complete() || order.fused.kernels > 0 || ranges.calls == 0) {
    if (!order.complete()) order.scope = "in the profile";
    return order;
  }
  return ranges;
}

}  // namespace

Report ask_attention(Analysis& analysis, const AskOptions& options) {
  Answer answer;
  if (!options.range.empty()) {
    if (auto chosen = analysis.ranges_named(options.range); !chosen) {
      return std::move(answer).abstained(chosen.error().message());
    }
  }
  const AttentionParts parts = parts_of(analysis, options);
  if (!parts.kernels.empty()) {
    answer.report.tables.push_back(class_table(class_sums(parts.kernels, analysis.classifier())));
  }
  if (!parts.complete()) return std::move(answer).abstained(missing(analysis.trace(), parts));

  const AttentionFlops flops = options.shape ? attention_flops(*options.shape) : AttentionFlops{};
  AttentionTable table(parts.calls, options);
  table.add("scores (QK^T)", parts.scores, flops.scores);
  table.add("softmax", parts.softmax, flops.softmax);
  table.add("values (AV)", parts.values, flops.values);
  table.add("matrix multiplication", parts.matmul, flops.matmul());
  answer.report.tables.push_back(std::move(table).take());

  const double time_ratio =
      ratio(static_cast<double>(parts.softmax.time), static_cast<double>(parts.matmul.time));
  std::string message = fmt::format(
      "{}, softmax takes {} and matrix multiplication {}, told apart {}: softmax takes {:.2f} "
      "times "
      "the time.",
      capitalised(parts.scope), shown(parts.softmax.time), shown(parts.matmul.time), parts.how,
      time_ratio);
  std::vector<Fact> evidence = {
      {"softmax_ns", "Softmax", parts.softmax.time, ColumnType::duration},
      {"matmul_ns", "Matrix multiplication", parts.matmul.time, ColumnType::duration},
      {"time_ratio", "Softmax to matmul, time", time_ratio, ColumnType::real}};
  if (!options.shape) {
    message += " How the operations compare is not known: give the shape of a call with --shape.";
  } else {
    const double flop_ratio =
        ratio(static_cast<double>(flops.softmax), static_cast<double>(flops.matmul()));
    message += fmt::format(
        " It does {:.4f} times the operations ({} against {} a call; QK^T alone is "
        "{}), so an operation of softmax takes {:.1f} times as long{}.",
        flop_ratio, flops.softmax, flops.matmul(), flops.scores, ratio(time_ratio, flop_ratio),
        ratio(time_ratio, flop_ratio) > 2 ? ": it is bound by memory, not by arithmetic" : "");
    evidence.push_back({"qk_flop", "QK^T, a call", flops.scores, ColumnType::flop});
    evidence.push_back({"softmax_flop", "Softmax, a call", flops.softmax, ColumnType::flop});
    evidence.push_back(
        {"flop_ratio", "Softmax to matmul, operations", flop_ratio, ColumnType::real});
  }
  return std::move(answer).answered(std::move(message), std::move(evidence));
}

}  // namespace assay::trace
