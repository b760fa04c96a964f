#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/ask_parts.hpp"
#include "trace/analysis/ask_sides.hpp"
#include "trace/analysis/graphs.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kShownName = 80;

std::string in_quotes(std::string_view name) {
  return fmt::format("'{}'", shorten_middle(name, kShownName));
}

/// "85 a pass", for a count over all passes.
std::string per_pass(std::uint64_t count, std::size_t passes) {
  if (passes == 0) return "";
  if (count % passes == 0) return fmt::format(" ({} a pass)", count / passes);
  return fmt::format(" ({:.1f} a pass)", static_cast<double>(count) / static_cast<double>(passes));
}

std::string top_sentence(const Side& side) {
  const NamedSummary& top = side.kernels.front();
  return fmt::format(
      "{} takes the most kernel time of {}: {} of {} ({}%), in {} {}{}", in_quotes(top.name),
      side.label, shown(top.summary.total), shown(total_of(side.kernels)),
      time_share_pct(top.summary.total, total_of(side.kernels)), top.summary.count,
      top.summary.count == 1 ? "launch" : "launches", per_pass(top.summary.count, side.passes));
}

/// What of it was not recorded, as sentences.
std::string unseen(const Side& side) {
  if (side.in_graphs == 0) return {};
  return fmt::format(
      " CUDA graphs of {} that were traced whole take {} more. Their kernels are not in the "
      "profile. {}",
      side.label, shown(side.in_graphs), kRecordNodes);
}

/// How often it ran and what was left out or not recorded, as sentences.
std::string rests_on(const Trace& trace, const Side& side) {
  if (side.passes == 0) return unseen(side);
  return fmt::format(" '{}' ran {}.{}{}{}{}", side.label,
                     side.passes == 1 ? "once" : fmt::format("{} times", side.passes),
                     side.left_out.empty() ? "" : " ", side.left_out, unseen(side),
                     without_calls(trace));
}

Table named(Table table, std::string name, std::string title) {
  table.name = std::move(name);
  table.title = std::move(title);
  return table;
}

std::string within(const Side& side) {
  return side.passes == 0 ? fmt::format("in {}", side.label)
                          : fmt::format("inside '{}'", side.label);
}

/// Why a question about kernels cannot be answered: none are recorded, or the lesser part.
std::string nothing_within(const Side& side) {
  if (std::ranges::any_of(side.full, [](const auto& kernel) { return kernel.name == kUnnamed; })) {
    return "The profile does not hold the names of its kernels: the table StringIds lacks them.";
  }
  if (side.in_no_range > side.in_graphs && !side.kernels.empty()) {
    return fmt::format(
        "Kernels that take {} are in no range, since the calls that launched them are not in the "
        "profile. Those that are known to run {} take {}: too little to go by.",
        shown(side.in_no_range), within(side), shown(total_of(side.kernels)));
  }
  if (side.in_graphs > 0) {
    return fmt::format(
        "CUDA graphs that were traced whole take {} {}, and the kernels that are recorded {}. What "
        "the graphs launched is not in the profile. {}",
        shown(side.in_graphs), within(side), shown(total_of(side.kernels)), kRecordNodes);
  }
  return fmt::format(
      "No kernel is known to have been launched {}. A profile without kernels (CUDA not traced) or "
      "without API calls cannot tell.",
      within(side));
}

/// A side's kernel time by class.
class ClassTimes {
 public:
  ClassTimes(const Side& side, const OpClassifier& classifier) : whole_(total_of(side.kernels)) {
    for (const ClassSum& sum : class_sums(side.full, classifier)) {
      times_.emplace(sum.op, sum.total);
    }
  }

  [[nodiscard]] bool has(OpClass op) const { return times_.contains(op); }
  [[nodiscard]] std::int64_t of(OpClass op) const { return has(op) ? times_.at(op) : 0; }
  [[nodiscard]] double share_of(OpClass op) const { return time_share_pct(of(op), whole_); }

 private:
  std::int64_t whole_;
  std::map<OpClass, std::int64_t> times_;
};

Table class_shares_table(const Side& side, const ClassTimes& before, const Side& against,
                         const ClassTimes& after) {
  Table table{
      .name = "class_shares",
      .title = fmt::format("Shares of kernel time: {} against {}", side.label, against.label),
      .columns = {{"op_class", "Class", ColumnType::text},
                  {"a_pct", "A", ColumnType::percent},
                  {"b_pct", "B", ColumnType::percent},
                  {"change_points", "Change, points", ColumnType::real},
                  {"a_ns", "A", ColumnType::duration},
                  {"b_ns", "B", ColumnType::duration}}};
  table.notes.push_back(fmt::format("A is {}, B is {}.", side.label, against.label));
  for (const auto& [op, name] : kOpClassNames) {
    if (!before.has(op) && !after.has(op)) continue;
    const double a = before.share_of(op);
    const double b = after.share_of(op);
    table.add_row({name, a, b, one_decimal(b - a), before.of(op), after.of(op)});
  }
  return table;
}

/// Which class changes most, matrix multiplication aside; empty where there is no other.
std::string largest_change(const Table& shares) {
  const auto largest = std::ranges::max_element(shares.rows, {}, [](const std::vector<Cell>& row) {
    return row[0] == Cell("gemm") ? 0.0 : std::abs(row[3].number().value_or(0));
  });
  if (largest == shares.rows.end() || (*largest)[0] == Cell("gemm")) return {};
  return fmt::format(" Of the rest, {} changes most: from {}% to {}%.",
                     std::get<std::string>((*largest)[0].value()),
                     (*largest)[1].number().value_or(0), (*largest)[2].number().value_or(0));
}

}  // namespace

Report ask_top_kernel(Analysis& analysis, const AskOptions& options) {
  Answer answer;
  auto side = side_of(analysis, options.range, options, "");
  if (!side) return std::move(answer).abstained(side.error().message());
  if (side->kernels.empty()) return std::move(answer).abstained(nothing_within(*side));
  answer.report.tables.push_back(named(kernel_table(side->kernels, analysis.classifier()),
                                       "kernels", fmt::format("Kernels of {}", side->label)));
  if (side->top_may_be_unseen()) return std::move(answer).abstained(nothing_within(*side));
  auto other = other_side(analysis, options, Usual::backward_too);
  if (!other) return std::move(answer).abstained(other.error().message());

  const NamedSummary top = side->kernels.front();
  std::string message = top_sentence(*side) + "." + rests_on(analysis.trace(), *side);
  if (*other && !(*other)->kernels.empty()) {
    const Side& against = **other;
    const bool same = against.kernels.front().name == top.name;
    message +=
        same ? fmt::format(" It is the same for {}: {} in {} launches{}.", against.label,
                           shown(against.kernels.front().summary.total),
                           against.kernels.front().summary.count,
                           per_pass(against.kernels.front().summary.count, against.passes))
             : fmt::format(" For {} it is another: {}.", against.label, top_sentence(against));
    answer.report.tables.push_back(named(kernel_table(against.kernels, analysis.classifier()),
                                         "kernels_against",
                                         fmt::format("Kernels of {}", against.label)));
  }
  return std::move(answer).answered(
      std::move(message),
      {{"kernel", "Kernel", top.name, ColumnType::text},
       {"total_ns", "Total time", top.summary.total, ColumnType::duration},
       {"count", "Launches", top.summary.count, ColumnType::integer},
       {"passes", "Passes", side->passes == 0 ? Cell() : Cell(side->passes), ColumnType::integer},
       {"time_pct", "Of kernel time", time_share_pct(top.summary.total, total_of(side->kernels)),
        ColumnType::percent}});
}

Report ask_besides_matmul(Analysis& analysis, const AskOptions& options) {
  Answer answer;
  auto side = side_of(analysis, options.range, options, "");
  if (!side) return std::move(answer).abstained(side.error().message());
  if (side->kernels.empty()) return std::move(answer).abstained(nothing_within(*side));
  const std::vector<ClassSum> classes = class_sums(side->full, analysis.classifier());
  answer.report.tables.push_back(class_table(classes));
  if (side->mostly_unseen()) return std::move(answer).abstained(nothing_within(*side));
  const std::int64_t whole = total_of(side->kernels);

  std::int64_t matmul = 0;
  std::string list;
  std::vector<NamedSummary> others;
  for (const ClassSum& sum : classes) {
    if (sum.op == OpClass::gemm) {
      matmul = sum.total;
      continue;
    }
    list += fmt::format("{}{} {}%", list.empty() ? "" : ", ", to_string(sum.op),
                        time_share_pct(sum.total, whole));
    others.insert(others.end(), sum.kernels.begin(), sum.kernels.end());
  }
  std::ranges::stable_sort(others, [](const NamedSummary& a, const NamedSummary& b) {
    return a.summary.total > b.summary.total;
  });
  std::string message = fmt::format("Matrix multiplication takes {}% of the kernel time {}.",
                                    time_share_pct(matmul, whole), within(*side));
  message += others.empty()
                 ? " Nothing else runs."
                 : fmt::format(" Besides it: {}. The largest single kernel is {} with {}%.", list,
                               in_quotes(others.front().name),
                               time_share_pct(others.front().summary.total, whole));
  message += rests_on(analysis.trace(), *side);
  Table table = named(kernel_table(others, analysis.classifier()), "kernels_besides_matmul",
                      "Kernels that are not matrix multiplications");
  table.notes.emplace_back(
      "Shares are of these kernels alone. Fused attention multiplies matrices "
      "too; it is a class of its own because its parts cannot be told apart.");
  answer.report.tables.push_back(std::move(table));
  return std::move(answer).answered(
      std::move(message), {{"matmul_ns", "Matrix multiplication", matmul, ColumnType::duration},
                           {"other_ns", "All else", whole - matmul, ColumnType::duration}});
}

Report ask_class_shares(Analysis& analysis, const AskOptions& options) {
  Answer answer;
  auto side = side_of(analysis, options.range, options,
                      options.against == nullptr ? "" : analysis.trace().capture.file);
  if (!side) return std::move(answer).abstained(side.error().message());
  auto other = other_side(analysis, options, Usual::training);
  if (!other) return std::move(answer).abstained(other.error().message());
  if (!*other) {
    if (side->kernels.empty() || side->mostly_unseen()) {
      return std::move(answer).abstained(nothing_within(*side));
    }
    answer.report.tables.push_back(class_table(class_sums(side->full, analysis.classifier())));
    return std::move(answer).abstained(fmt::format(
        "Matrix multiplication takes {}% of the kernel time {}. There is nothing to "
        "compare with: name a second range, or give a second profile.",
        ClassTimes(*side, analysis.classifier()).share_of(OpClass::gemm), within(*side)));
  }
  const Side& against = **other;
  for (const Side* one : {&std::as_const(*side), &against}) {
    if (one->kernels.empty() || one->mostly_unseen()) {
      return std::move(answer).abstained(nothing_within(*one));
    }
  }
  const ClassTimes before(*side, analysis.classifier());
  const ClassTimes after(against, analysis.classifier());
  Table table = class_shares_table(*side, before, against, after);
  const double a = before.share_of(OpClass::gemm);
  const double b = after.share_of(OpClass::gemm);
  std::string message =
      fmt::format("Matrix multiplication takes {}% of the kernel time of {} and {}% of that of {}.",
                  a, side->label, b, against.label);
  message += largest_change(table) + unseen(side->in_graphs > 0 ? *side : against);
  answer.report.tables.push_back(std::move(table));
  return std::move(answer).answered(
      std::move(message),
      {{"a_gemm_pct", "A", a, ColumnType::percent}, {"b_gemm_pct", "B", b, ColumnType::percent}});
}

}  // namespace assay::trace
