#include "trace/analysis/attention_parts.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/ask_parts.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/loops.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"
#include "trace/events/range_name.hpp"

namespace assay::trace {
namespace {

bool says_backward(std::string_view name) {
  return glob_match("*backward*", name);
}

/// Tells ranges of measured forward passes from those of backward and of warm-up.
class MeasuredForward {
 public:
  explicit MeasuredForward(Analysis& analysis)
      : analysis_(analysis),
        backward_(ranges_under(analysis.trace(), says_backward)),
        warm_up_(warm_up_ranges(analysis.trace())) {
    const Trace& trace = analysis.trace();
    const auto passes = find_passes(analysis, PassKind::forward);
    if (!passes) return;
    for (const std::uint32_t pass : passes->warm_up) {
      for (std::uint32_t row = pass; row < trace.ranges.size(); ++row) {
        if (trace.ranges.start[row] > trace.ranges.end[pass]) break;
        const bool inside = trace.ranges.thread[row] == trace.ranges.thread[pass] &&
                            trace.ranges.end[row] <= trace.ranges.end[pass];
        if (inside) warm_up_[row] = 1;
      }
    }
  }

  /// Takes out of `rows` what is warm-up, where other rows are left, and what is backward.
  void keep(std::vector<std::uint8_t>& rows) const {
    std::vector<std::uint8_t> measured = rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (backward_[row] != 0) rows[row] = 0;
      measured[row] = rows[row] != 0 && warm_up_[row] == 0 ? 1 : 0;
    }
    if (std::ranges::find(measured, 1) != measured.end()) rows = std::move(measured);
  }

  /// The rows that a text names, without warm-up and backward; empty where there are none.
  [[nodiscard]] std::vector<std::uint8_t> named(std::string_view text) const {
    auto rows = analysis_.ranges_named(text);
    if (!rows) return {};
    keep(*rows);
    return std::ranges::find(*rows, 1) == rows->end() ? std::vector<std::uint8_t>()
                                                      : *std::move(rows);
  }

 private:
  Analysis& analysis_;
  std::vector<std::uint8_t> backward_;
  std::vector<std::uint8_t> warm_up_;
};

AttentionPart sum_of(const std::vector<NamedSummary>& kernels) {
  AttentionPart part;
  for (const NamedSummary& kernel : kernels) part.add(kernel.summary.count, kernel.summary.total);
  return part;
}

bool has_word(const std::vector<std::string>& words,
              std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(wanted, word) != wanted.end();
  });
}

/// Whether `second` comes right after `first` among the words.
bool has_pair(const std::vector<std::string>& words, std::initializer_list<std::string_view> first,
              std::string_view second) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (std::ranges::find(first, words[i]) != first.end() && words[i + 1] == second) return true;
  }
  return false;
}

/// What makes queries, keys and values, and what mixes the heads, is no part of the comparison.
bool is_projection(const std::vector<std::string>& words) {
  return has_word(words, {"qkv", "proj", "projection", "projections", "linear", "out", "cache"}) ||
         std::ranges::any_of(words, [](const std::string& word) { return word.ends_with("proj"); });
}

bool says_softmax(std::string_view name) {
  return glob_match("*softmax*", name);
}

bool says_scores(std::string_view name) {
  const auto words = name_words(name);
  return !is_projection(words) && !says_softmax(name) &&
         (has_word(words, {"score", "scores", "logits", "qk", "qkt"}) ||
          (has_pair(words, {"q"}, "k") && !has_pair(words, {"k"}, "v")));
}

bool says_values(std::string_view name) {
  const auto words = name_words(name);
  return !is_projection(words) && !says_softmax(name) && !says_scores(name) &&
         (has_pair(words, {"final"}, "matmul") ||
          has_word(words, {"value", "values", "av", "pv"}) ||
          has_pair(words, {"attn", "attention", "weights", "probs", "a", "p"}, "v"));
}

/// What was launched in ranges inside `scope` of which `says` holds.
AttentionPart part_in(Analysis& analysis, const MeasuredForward& forward,
                      const std::vector<std::uint8_t>& scope, RangeRule rule,
                      bool (*says)(std::string_view)) {
  const Trace& trace = analysis.trace();
  constexpr std::uint8_t kNotAsked = 2;
  std::vector<std::uint8_t> of_name(trace.strings.size(), kNotAsked);
  std::vector<std::int64_t> until(trace.threads.size(), std::numeric_limits<std::int64_t>::min());
  std::vector<std::uint8_t> rows(trace.ranges.size(), 0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::int64_t& open = until[trace.ranges.thread[row]];
    if (trace.ranges.end[row] <= open) {
      std::uint8_t& name = of_name[trace.ranges.name[row]];
      if (name == kNotAsked) name = says(trace.strings.view(trace.ranges.name[row])) ? 1 : 0;
      rows[row] = name;
    }
    if (scope[row] != 0) open = std::max(open, trace.ranges.end[row]);
  }
  forward.keep(rows);
  return sum_of(analysis.kernels_within(rows, rule, KernelNaming::demangled));
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

/// The kernels of each stream in order of start, of those chosen; all of them if none are.
std::vector<std::vector<std::uint32_t>> streams_of(const Trace& trace,
                                                   const std::vector<std::uint8_t>& chosen) {
  std::vector<std::vector<std::uint32_t>> streams(trace.queues.size());
  for (std::uint32_t row = 0; row < trace.kernels.size(); ++row) {
    if (chosen.empty() || chosen[row] != 0) streams[trace.kernels.queue[row]].push_back(row);
  }
  return streams;
}

/// What stands between no softmax and its products.
bool ends_attention(OpClass op) {
  return op == OpClass::softmax || op == OpClass::attention || op == OpClass::convolution ||
         op == OpClass::norm || op == OpClass::optimizer;
}

/// Kernels of a stream that together are one matrix multiplication.
struct Product {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// The kernels of one stream, by what they do.
class StreamOrder {
 public:
  StreamOrder(Analysis& analysis, const std::vector<std::uint32_t>& rows)
      : trace_(analysis.trace()),
        classes_(analysis.classes()),
        ranges_(analysis.attribution().same_thread),
        rows_(rows) {}

  [[nodiscard]] OpClass class_of(std::size_t at) const {
    return classes_[trace_.kernels.function[rows_[at]]].op;
  }
  [[nodiscard]] std::int64_t duration(std::size_t at) const {
    return trace_.kernels.duration(rows_[at]);
  }
  /// Whether it is a softmax of a forward pass, other than that of a loss.
  [[nodiscard]] bool is_softmax(std::size_t at) const {
    const std::string_view name = trace_.function_name(trace_.kernels.function[rows_[at]]);
    return class_of(at) == OpClass::softmax && !says_backward(name) &&
           !glob_match("*log*softmax*", name);
  }
  /// A product of which several kernels made parts: the last of them adds the parts up.
  [[nodiscard]] bool adds_up(std::size_t at) const {
    return at < rows_.size() && class_of(at) == OpClass::gemm &&
           glob_match("*splitk*reduce*", trace_.function_name(trace_.kernels.function[rows_[at]]));
  }
  /// The nearest product one way from `at`: the places of its first and its last kernel. Nothing
  /// where something else lies between, or too much.
  [[nodiscard]] std::optional<Product> product(std::size_t at, bool forwards) const {
    constexpr std::size_t kNear = 8;  // scaling, masking and dropout stand between
    for (std::size_t step = 1; step <= kNear; ++step) {
      if (forwards ? at + step >= rows_.size() : step > at) break;
      const std::size_t other = forwards ? at + step : at - step;
      if (class_of(other) == OpClass::gemm) {
        if (in_another_run(at, other)) break;
        const bool summed = adds_up(other) && other > 0 && class_of(other - 1) == OpClass::gemm;
        return Product{.first = summed ? other - 1 : other,
                       .last = adds_up(other + 1) ? other + 1 : other};
      }
      if (ends_attention(class_of(other))) break;
    }
    return std::nullopt;
  }
  void add(const Product& product, AttentionPart& part) const {
    for (std::size_t at = product.first; at <= product.last; ++at) part.add(1, duration(at));
  }

 private:
  /// Whether two kernels were launched in two runs of one range: in two steps, or in two layers.
  [[nodiscard]] bool in_another_run(std::size_t a, std::size_t b) const {
    const auto around = [&](std::size_t at) {
      return ranges_.of_call(trace_.kernels.call[rows_[at]]);
    };
    const auto name = [&](std::uint32_t range) {
      return numberless(trace_.strings.view(trace_.ranges.name[range]));
    };
    const auto holds = [&](std::size_t at, std::uint32_t range) {
      return std::ranges::find(around(at), range) != around(at).end();
    };
    return std::ranges::any_of(around(a), [&](std::uint32_t one) {
      if ((trace_.ranges.flags[one] & range_automatic) != 0 || holds(b, one)) return false;
      return std::ranges::any_of(around(b), [&](std::uint32_t other) {
        return !holds(a, other) && name(one) == name(other);
      });
    });
  }

  const Trace& trace_;
  const std::vector<Classified>& classes_;
  const RangeSets& ranges_;
  const std::vector<std::uint32_t>& rows_;
};

/// Adds up each softmax and the products nearest before and after it. Returns how many of them
/// have no products around them.
std::uint64_t around_softmax(Analysis& analysis,
                             const std::vector<std::vector<std::uint32_t>>& streams,
                             AttentionParts& parts) {
  std::uint64_t alone = 0;
  for (const auto& rows : streams) {
    const StreamOrder order(analysis, rows);
    std::size_t taken = 0;  // products before this place belong to an earlier softmax
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (order.class_of(at) == OpClass::attention) parts.fused.add(1, order.duration(at));
      if (!order.is_softmax(at)) continue;
      const auto before = order.product(at, false);
      const auto after = order.product(at, true);
      if (!before || !after || before->first < taken) {
        ++alone;
        continue;
      }
      taken = after->last + 1;
      ++parts.calls;
      parts.softmax.add(1, order.duration(at));
      order.add(*before, parts.scores);
      order.add(*after, parts.values);
    }
  }
  parts.matmul = {.kernels = parts.scores.kernels + parts.values.kernels,
                  .time = parts.scores.time + parts.values.time};
  return alone;
}

/// Where a range holds the projections as well, its products are more than attention's two.
void leave_out_projections(Analysis& analysis, const std::vector<std::uint8_t>& rows,
                           RangeRule rule, AttentionParts& parts) {
  if (parts.fused.kernels > 0 || parts.softmax.kernels == 0 ||
      parts.matmul.kernels <= 2 * parts.softmax.kernels) {
    return;
  }
  const Trace& trace = analysis.trace();
  AttentionParts found;
  const std::uint64_t alone = around_softmax(
      analysis, streams_of(trace, kernels_in(trace, analysis.attribution(), rows, rule)), found);
  if (found.calls == 0 || alone > found.calls) return;
  parts.how = fmt::format(
      "by the order of its kernels: the matrix multiplications nearest before and after each "
      "softmax (the {} others, {}, are projections)",
      parts.matmul.kernels - found.matmul.kernels, shown(parts.matmul.time - found.matmul.time));
  parts.softmax = found.softmax;
  parts.scores = found.scores;
  parts.values = found.values;
  parts.matmul = found.matmul;
}

}  // namespace

AttentionParts attention_by_ranges(Analysis& analysis, const AskOptions& options) {
  const MeasuredForward forward(analysis);
  AttentionParts parts;
  std::string scope = options.range;
  std::vector<std::uint8_t> rows;
  if (!scope.empty()) {
    rows = forward.named(scope);
  } else {
    for (const char* usual :
         {"scaled_dot_product_attention", "scaled dot product attention", "self_attention",
          "self attention", "attention", "aten::scaled_dot_product_attention",
          "*dot*product*attention*", "*attention*"}) {
      rows = forward.named(usual);
      scope = usual;
      if (!rows.empty()) break;
    }
  }
  if (rows.empty()) return parts;
  parts.calls = outermost(analysis.trace(), rows).size();
  parts.scope =
      fmt::format("inside '{}' ({} {})", scope, parts.calls, parts.calls == 1 ? "call" : "calls");
  parts.kernels = analysis.kernels_within(rows, options.rule, KernelNaming::demangled);
  parts.softmax = part_in(analysis, forward, rows, options.rule, says_softmax);
  parts.scores = part_in(analysis, forward, rows, options.rule, says_scores);
  parts.values = part_in(analysis, forward, rows, options.rule, says_values);
  if (parts.softmax.kernels > 0 && parts.scores.kernels > 0 && parts.values.kernels > 0) {
    parts.matmul = {.kernels = parts.scores.kernels + parts.values.kernels,
                    .time = parts.scores.time + parts.values.time};
    parts.how = "by the ranges inside it";
    return parts;
  }
  parts.softmax = parts.scores = parts.values = {};
  by_classes(parts.kernels, analysis.classifier(), parts);
  parts.how = "by the classes of its kernels";
  leave_out_projections(analysis, rows, options.rule, parts);
  return parts;
}

AttentionParts attention_by_operators(Analysis& analysis, const AskOptions& options) {
  const MeasuredForward forward(analysis);
  AttentionParts parts;
  const auto of = [&](std::initializer_list<std::string_view> names) {
    std::vector<std::uint8_t> all;
    for (const std::string_view name : names) {
      const auto rows = forward.named(name);
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
  parts.scope =
      fmt::format("in {} {} of aten::softmax", parts.calls, parts.calls == 1 ? "call" : "calls");
  parts.how =
      "by operators: aten::softmax against aten::bmm and aten::baddbmm, the batched products that "
      "attention is made of (linear layers use aten::mm and aten::addmm)";
  return parts;
}

AttentionParts attention_by_order(Analysis& analysis, const AskOptions& options) {
  const Trace& trace = analysis.trace();
  std::vector<std::uint8_t> chosen;
  if (const auto passes = find_passes(analysis, PassKind::forward)) {
    chosen = kernels_in(trace, analysis.attribution(), passes->chosen, options.rule);
  }
  AttentionParts parts;
  const std::uint64_t alone = around_softmax(analysis, streams_of(trace, chosen), parts);
  // Softmax of something else: a router, or where fused kernels do the attention.
  if (alone >= parts.calls || parts.fused.kernels > 0) return {.fused = parts.fused};
  parts.scope =
      fmt::format("around {} softmax {}", parts.calls, parts.calls == 1 ? "kernel" : "kernels");
  parts.how =
      "by the order of kernels: the matrix multiplications nearest before and after each softmax "
      "of a stream, since no range and no operator marks attention";
  return parts;
}

}  // namespace assay::trace
