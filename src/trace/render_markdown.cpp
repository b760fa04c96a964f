#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "trace/diagnostics.hpp"
#include "trace/human.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

/// Text that cannot end a table cell or start an element: kernel names are full of < > * _ |.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : to_one_line(text)) {
    if (std::string_view("\\|<>*_`[]").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

void append_markdown_table(std::string& out, const Table& table) {
  out += fmt::format("\n## {}\n\n|", escaped(table.title));
  for (const Column& column : table.columns) out += fmt::format(" {} |", escaped(column.heading));
  out += "\n|";
  for (const Column& column : table.columns) {
    out += column.type == ColumnType::text ? " --- |" : " ---: |";
  }
  out += '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += fmt::format(" {} |", escaped(humanize(row[i], table.columns[i].type)));
    }
    out += '\n';
  }
  for (const std::string& note : table.notes) out += fmt::format("\n{}\n", escaped(note));
}

void append_finding(std::string& out, const Finding& finding) {
  out += fmt::format("- **{}** ({})", escaped(finding.title), to_string(finding.kind));
  if (!finding.subject.empty()) out += fmt::format(" {}", escaped(finding.subject));
  out += fmt::format(": {}\n", escaped(finding.message));
  for (const Fact& fact : finding.evidence) {
    out += fmt::format("  - {}: {}\n", escaped(fact.heading),
                       escaped(humanize(fact.value, fact.type)));
  }
}

void append_findings(std::string& out, const Report& report, std::string_view heading,
                     bool first_ones) {
  bool any = false;
  for (const Finding& finding : report.findings) {
    if (comes_first(finding.kind) != first_ones) continue;
    if (!any) out += fmt::format("\n## {}\n\n", heading);
    any = true;
    append_finding(out, finding);
  }
}

}  // namespace

std::string render_markdown(const Report& report) {
  std::string out = fmt::format("# {}\n", escaped(report.title));
  if (!report.facts.empty()) out += '\n';
  for (const Fact& fact : report.facts) {
    out +=
        fmt::format("- {}: {}\n", escaped(fact.heading), escaped(humanize(fact.value, fact.type)));
  }
  append_findings(out, report, "Answers", true);
  for (const Table& table : report.tables) append_markdown_table(out, table);
  append_findings(out, report, "Findings", false);
  if (!report.diagnostics.empty()) out += "\n## Left out or malformed\n\n";
  for (const Diagnostic& entry : report.diagnostics.entries()) {
    out += fmt::format("- {}: {} ({})\n", escaped(entry.name),
                       humanize(entry.count, ColumnType::integer), escaped(entry.detail));
  }
  return out;
}

}  // namespace assay::trace
