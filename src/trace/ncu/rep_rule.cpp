#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "trace/diagnostics.hpp"
#include "trace/ncu/rep_decode.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/wire.hpp"

namespace assay::trace {
namespace {

NcuRuleKind rule_kind(std::uint64_t number) {
  switch (number) {
    case 1:
      return NcuRuleKind::ok;
    case 2:
      return NcuRuleKind::warning;
    case 3:
      return NcuRuleKind::error;
    case 4:
      return NcuRuleKind::optimization;
    default:
      return NcuRuleKind::none;
  }
}

/// Messages hold links: `@section:SourceCounters:the table@` and `@url:the guide:https://…@`
/// read as "the table" and "the guide (https://…)".
std::string without_markup(std::string_view text) {
  std::string plain;
  while (true) {
    const std::size_t start = text.find('@');
    const std::size_t end = start == std::string_view::npos ? start : text.find('@', start + 1);
    if (end == std::string_view::npos) return plain.append(text);
    const std::string_view link = text.substr(start + 1, end - start - 1);
    const std::size_t first = link.find(':');
    const std::size_t second = first == std::string_view::npos ? first : link.find(':', first + 1);
    plain += text.substr(0, start);
    if (second != std::string_view::npos && link.starts_with("url:")) {
      plain += fmt::format("{} ({})", link.substr(first + 1, second - first - 1),
                           link.substr(second + 1));
    } else if (second != std::string_view::npos) {
      plain += link.substr(second + 1);
    } else {
      plain += text.substr(start, end + 1 - start);
    }
    text.remove_prefix(end + 1);
  }
}

NcuRuleMessage decode_message(std::string_view message) {
  NcuRuleMessage decoded;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) decoded.text = without_markup(field->bytes());
    if (field->number == 2) decoded.kind = rule_kind(field->integer());
    if (field->number == 4) decoded.title = field->bytes();
  }
  return decoded;
}

NcuFocusMetric decode_focus(std::string_view message) {
  NcuFocusMetric decoded;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 2) decoded.name = field->bytes();
    if (field->number == 3) decoded.value = field->real();
    if (field->number == 5) decoded.info = field->bytes();
  }
  return decoded;
}

NcuSpeedup decode_speedup(std::string_view message) {
  NcuSpeedup decoded;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1 && field->integer() == 1) decoded.scope = NcuSpeedup::Scope::local;
    if (field->number == 1 && field->integer() == 2) decoded.scope = NcuSpeedup::Scope::global;
    if (field->number == 2) decoded.percent = field->real();
  }
  return decoded;
}

/// RuleResultBodyItem: a message, or what belongs to the message before it.
void decode_item(std::string_view message, NcuRule& rule) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) rule.messages.push_back(decode_message(field->bytes()));
    if (field->number == 8) rule.focus.push_back(decode_focus(field->bytes()));
    if (field->number == 10 && !rule.messages.empty()) {
      rule.messages.back().speedup = decode_speedup(field->bytes());
    }
  }
}

}  // namespace

NcuRule decode_rule(std::string_view message, Diagnostics& diagnostics) {
  NcuRule rule;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        rule.id = field->bytes();
        break;
      case 2:
        rule.name = field->bytes();
        break;
      case 3: {
        WireReader body(field->bytes());
        while (const auto item = body.next()) {
          if (item->number == 1) decode_item(item->bytes(), rule);
        }
        break;
      }
      case 4:
        rule.section_id = field->bytes();
        break;
      default:
        break;
    }
  }
  if (reader.malformed()) diagnostics.add("malformed_rule", "rule " + rule.id);
  return rule;
}

}  // namespace assay::trace
