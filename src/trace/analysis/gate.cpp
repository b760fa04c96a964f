#include "trace/analysis/gate.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/human.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Where the comparison is; a name in quotes may hold the same signs.
std::size_t comparison_at(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && (text[i] == '>' || text[i] == '<')) return i;
  }
  return std::string_view::npos;
}

struct Unit {
  std::string_view text;
  double factor;
};
constexpr auto kUnits = std::to_array<Unit>({
    {"", 1},
    {"ns", 1},
    {"us", 1e3},
    {"ms", 1e6},
    {"s", 1e9},
    {"B", 1},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
});

Error not_a_rule(std::string_view text) {
  return {ErrorCode::invalid_argument,
          fmt::format("'{}' is no condition: write FIGURE > THRESHOLD, such as kernel_time > +5%, "
                      "range_time:\"Forward\" > 80ms, kernel_count < -10%",
                      text)};
}

bool holds(GateRule::Comparison comparison, double value, double threshold) {
  switch (comparison) {
    case GateRule::Comparison::greater:
      return value > threshold;
    case GateRule::Comparison::greater_equal:
      return value >= threshold;
    case GateRule::Comparison::less:
      return value < threshold;
    case GateRule::Comparison::less_equal:
      break;
  }
  return value <= threshold;
}

Result<void> parse_threshold(std::string_view text, GateRule& rule) {
  const bool sign = text.starts_with('+') || text.starts_with('-');
  const bool negative = text.starts_with('-');
  if (sign) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  // "nan" and "inf" are numbers to from_chars, and no value is above them: such a gate would pass.
  const bool digits = text.starts_with('.') || (!text.empty() && text[0] >= '0' && text[0] <= '9');
  const auto [stop, error] = std::from_chars(text.data(), end, rule.threshold);
  if (!digits || error != std::errc{}) return std::unexpected(not_a_rule(rule.text));
  if (negative) rule.threshold = -rule.threshold;
  const std::string_view unit =
      trimmed(std::string_view(stop, static_cast<std::size_t>(end - stop)));
  if (unit == "%") {
    rule.kind = GateRule::Kind::percent_change;
    return {};
  }
  for (const Unit& known : kUnits) {
    if (known.text != unit) continue;
    rule.kind = sign ? GateRule::Kind::change : GateRule::Kind::value;
    rule.threshold *= known.factor;
    if (!std::isfinite(rule.threshold)) break;
    return {};
  }
  return std::unexpected(not_a_rule(rule.text));
}

}  // namespace

Result<GateRule> parse_gate(std::string_view text) {
  GateRule rule{.text = std::string(text)};
  const std::size_t at = comparison_at(text);
  if (at == std::string_view::npos) return std::unexpected(not_a_rule(text));
  const bool equal = text.substr(at + 1).starts_with('=');
  using enum GateRule::Comparison;
  if (text[at] == '>') {
    rule.comparison = equal ? greater_equal : greater;
  } else {
    rule.comparison = equal ? less_equal : less;
  }
  rule.metric = trimmed(text.substr(0, at));
  if (rule.metric.empty()) return std::unexpected(not_a_rule(text));
  auto done = parse_threshold(trimmed(text.substr(at + (equal ? 2 : 1))), rule);
  if (!done) return std::unexpected(std::move(done).error());
  return rule;
}

Result<GateResult> judge_gate(const GateRule& rule, const ProfileSums& a, const ProfileSums& b) {
  ASSAY_TRY(const Metric before, find_metric(a, rule.metric));
  ASSAY_TRY(const Metric after, find_metric(b, rule.metric));
  GateResult result{.rule = rule, .a = before.value, .b = after.value, .type = after.type};
  switch (rule.kind) {
    case GateRule::Kind::percent_change:
      if (before.value == 0) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("'{}': {} is 0 in {}, so it cannot change by a percentage",
                                rule.text, rule.metric, a.file));
      }
      result.compared = 100 * (after.value - before.value) / before.value;
      break;
    case GateRule::Kind::change:
      result.compared = after.value - before.value;
      break;
    case GateRule::Kind::value:
      result.compared = after.value;
      break;
  }
  result.failed = holds(rule.comparison, result.compared, rule.threshold);
  return result;
}

bool add_gate(std::span<const GateResult> results, Report& report) {
  Table table{.name = "gate",
              .title = "Conditions",
              .columns = {{"verdict", "Verdict", ColumnType::text},
                          {"condition", "Fails if", ColumnType::text},
                          {"compared", "Value", ColumnType::real},
                          {"threshold", "Threshold", ColumnType::real},
                          {"a", "A", ColumnType::real},
                          {"b", "B", ColumnType::real}}};
  bool failed = false;
  for (const GateResult& result : results) {
    failed |= result.failed;
    table.add_row({result.failed ? "failed" : "passed", result.rule.text, result.compared,
                   result.rule.threshold, result.a, result.b});
    report.findings.push_back(
        {.kind = result.failed ? FindingKind::error : FindingKind::ok,
         .name = "gate",
         .title = result.failed ? "Failed" : "Passed",
         .message = fmt::format("{}: {} from {} to {}.", result.rule.text, result.rule.metric,
                                humanize(Cell(result.a), result.type),
                                humanize(Cell(result.b), result.type))});
  }
  report.tables.insert(report.tables.begin(), std::move(table));
  return failed;
}

}  // namespace assay::trace
