#include "trace/analysis/attention_parts.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

bool says_backward(std::string_view name) {
  return glob_match("*backward*", name);
}

/// Takes out of `rows` what is warm-up, where other rows are left, and what is backward.
void keep_measured_forward(const Trace& trace, std::vector<std::uint8_t>& rows) {
  const auto backward = ranges_under(trace, says_backward);
  const auto warm_up = warm_up_ranges(trace);
  std::vector<std::uint8_t> measured = rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (backward[row] != 0) rows[row] = 0;
    measured[row] = rows[row] != 0 && warm_up[row] == 0 ? 1 : 0;
  }
  if (std::ranges::find(measured, 1) != measured.end()) rows = std::move(measured);
}

/// The rows that a text names, without warm-up and backward; empty where there are none.
std::vector<std::uint8_t> rows_named(Analysis& analysis, std::string_view text) {
  auto rows = analysis.ranges_named(text);
  if (!rows) return {};
  keep_measured_forward(analysis.trace(), *rows);
  return std::ranges::find(*rows, 1) == rows->end() ? std::vector<std::uint8_t>()
                                                    : *std::move(rows);
}

AttentionPart sum_of(const std::vector<NamedSummary>& kernels) {
  AttentionPart part;
  for (const NamedSummary& kernel : kernels) part.add(kernel.summary.count, kernel.summary.total);
  return part;
}

/// What was launched in the first of `names` that occurs inside `scope`.
AttentionPart part_in(Analysis& analysis, std::string_view scope, RangeRule rule,
                      std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto rows = rows_named(analysis, fmt::format("{} > {}", scope, name));
    if (rows.empty()) continue;
    return sum_of(analysis.kernels_within(rows, rule, KernelNaming::demangled));
  }
  return {};
}

void by_classes(const std::vector<NamedSummary>& kernels, const OpClassifier& classifier,
                AttentionParts& parts) {
  for (const ClassSum& sum : class_sums(kernels, classifier)) {
    AttentionPart& part = sum.op == OpClass::softmax     ? parts.softmax
                          : sum.op == OpClass::gemm      ? parts.matmul
                          : sum.op == OpClass::attention ? parts.fused
                                                         : parts.other;
    part.add(sum.count, sum.total);
  }
}

/// Kernels of one stream in order of start, of the forward pass where it is known.
std::vector<std::vector<std::uint32_t>> streams_of(Analysis& analysis, RangeRule rule) {
  const Trace& trace = analysis.trace();
  std::vector<std::uint8_t> chosen;
  if (const auto passes = find_passes(analysis, PassKind::forward)) {
    chosen = kernels_in(trace, analysis.attribution(), passes->chosen, rule);
  }
  std::vector<std::vector<std::uint32_t>> streams(trace.queues.size());
  for (std::uint32_t row = 0; row < trace.kernels.size(); ++row) {
    if (chosen.empty() || chosen[row] != 0) streams[trace.kernels.queue[row]].push_back(row);
  }
  return streams;
}

}  // namespace

AttentionParts attention_by_ranges(Analysis& analysis, const AskOptions& options) {
  AttentionParts parts;
  std::string scope = options.range;
  std::vector<std::uint8_t> rows;
  if (!scope.empty()) {
    rows = rows_named(analysis, scope);
  } else {
    for (const char* usual :
         {"scaled_dot_product_attention", "scaled dot product attention", "self_attention",
          "self attention", "attention", "aten::scaled_dot_product_attention",
          "*dot*product*attention*", "*attention*"}) {
      rows = rows_named(analysis, usual);
      scope = usual;
      if (!rows.empty()) break;
    }
  }
  if (rows.empty()) return parts;
  parts.calls = outermost(analysis.trace(), rows).size();
  parts.scope = fmt::format("inside '{}' ({} calls)", scope, parts.calls);
  parts.kernels = analysis.kernels_within(rows, options.rule, KernelNaming::demangled);
  parts.softmax = part_in(analysis, scope, options.rule, {"*softmax*"});
  parts.scores = part_in(analysis, scope, options.rule, {"*score*", "*qk*", "*q@k*"});
  parts.values =
      part_in(analysis, scope, options.rule, {"*final*matmul*", "*value*", "*attn*v*", "*@v*"});
  if (parts.softmax.kernels > 0 && parts.scores.kernels + parts.values.kernels > 0) {
    parts.matmul = {.kernels = parts.scores.kernels + parts.values.kernels,
                    .time = parts.scores.time + parts.values.time};
    parts.how = "by the ranges inside it";
    return parts;
  }
  parts.softmax = parts.scores = parts.values = {};
  by_classes(parts.kernels, analysis.classifier(), parts);
  parts.how = "by the classes of its kernels";
  return parts;
}

AttentionParts attention_by_operators(Analysis& analysis, const AskOptions& options) {
  AttentionParts parts;
  const auto of = [&](std::initializer_list<std::string_view> names) {
    std::vector<std::uint8_t> all;
    for (const std::string_view name : names) {
      const auto rows = rows_named(analysis, name);
      if (all.empty()) all = rows;
      for (std::size_t row = 0; row < rows.size(); ++row) all[row] |= rows[row];
    }
    return all;
  };
  const auto softmax = of({"aten::softmax", "aten::_softmax", "aten::_safe_softmax"});
  const auto products = of({"aten::bmm", "aten::baddbmm"});
  if (softmax.empty() || products.empty()) return parts;
  parts.softmax = sum_of(analysis.kernels_within(softmax, options.rule, KernelNaming::demangled));
  parts.matmul = sum_of(analysis.kernels_within(products, options.rule, KernelNaming::demangled));
  parts.calls = outermost(analysis.trace(), softmax).size();
  parts.scope = fmt::format("in {} calls of aten::softmax", parts.calls);
  parts.how =
      "by operators: aten::softmax against aten::bmm and aten::baddbmm, the batched products that "
      "attention is made of (linear layers use aten::mm and aten::addmm)";
  return parts;
}

AttentionParts attention_by_order(Analysis& analysis, const AskOptions& options) {
  constexpr std::size_t kNear = 8;  // scaling, masking and dropout stand between
  const Trace& trace = analysis.trace();
  const auto& classes = analysis.classes();
  AttentionParts parts;
  std::uint64_t alone = 0;
  for (const auto& rows : streams_of(analysis, options.rule)) {
    const auto class_of = [&](std::size_t at) {
      return classes[trace.kernels.function[rows[at]]].op;
    };
    const auto name_of = [&](std::size_t at) {
      return trace.function_name(trace.kernels.function[rows[at]]);
    };
    // The nearest product one way from `at`; rows.size() where a softmax or too much lies between.
    const auto nearest = [&](std::size_t at, bool forwards) {
      for (std::size_t step = 1; step <= kNear; ++step) {
        if (forwards ? at + step >= rows.size() : step > at) break;
        const std::size_t other = forwards ? at + step : at - step;
        if (class_of(other) == OpClass::gemm) return other;
        if (class_of(other) == OpClass::softmax) break;
      }
      return rows.size();
    };
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (class_of(at) == OpClass::attention) {
        parts.fused.add(1, trace.kernels.duration(rows[at]));
      }
      if (class_of(at) != OpClass::softmax || says_backward(name_of(at))) continue;
      if (glob_match("*log*softmax*", name_of(at))) continue;
      const std::size_t before = nearest(at, false);
      const std::size_t after = nearest(at, true);
      if (before == rows.size() || after == rows.size()) {
        ++alone;
        continue;
      }
      ++parts.calls;
      parts.softmax.add(1, trace.kernels.duration(rows[at]));
      parts.scores.add(1, trace.kernels.duration(rows[before]));
      parts.values.add(1, trace.kernels.duration(rows[after]));
    }
  }
  if (alone > parts.calls) return {.fused = parts.fused};  // softmax of something else
  parts.matmul = {.kernels = parts.scores.kernels + parts.values.kernels,
                  .time = parts.scores.time + parts.values.time};
  parts.scope = fmt::format("around {} softmax kernels", parts.calls);
  parts.how =
      "by the order of kernels: the matrix multiplications nearest before and after each softmax "
      "of a stream, since no range and no operator marks attention";
  return parts;
}

}  // namespace assay::trace
