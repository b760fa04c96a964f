#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/embedded_file.hpp"
#include "trace/diagnostics.hpp"
#include "trace/figures.hpp"
#include "trace/human.hpp"
#include "trace/page/page_data.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {

/// page.css and page.js.
std::span<const EmbeddedFile> embedded_page();

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : to_one_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string_view page_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded_page()) {
    if (file.path == name) return file.content;
  }
  return {};
}

void append_facts(std::string& out, const std::vector<Fact>& facts) {
  if (facts.empty()) return;
  out += "<dl class=\"facts\">";
  for (const Fact& fact : facts) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escaped(fact.heading),
                       escaped(humanize(fact.value, fact.type)));
  }
  out += "</dl>\n";
}

void append_finding(std::string& out, const Finding& finding) {
  const std::string_view kind = to_string(finding.kind);
  out += fmt::format("<div class=\"finding {}\"><h3>{} <span class=\"kind\">{}{}{}</span></h3>",
                     kind, escaped(finding.title), kind, finding.subject.empty() ? "" : " · ",
                     escaped(finding.subject));
  out += fmt::format("<p>{}</p>", escaped(finding.message));
  append_facts(out, finding.evidence);
  out += "</div>\n";
}

/// What was asked and what must not be missed first, then the rest in its order.
void append_findings(std::string& out, const Report& report) {
  if (report.findings.empty()) return;
  out += "<section id=\"findings\"><h2>Findings</h2><div class=\"findings\">\n";
  for (const bool first : {true, false}) {
    for (const Finding& finding : report.findings) {
      if (comes_first(finding.kind) == first) append_finding(out, finding);
    }
  }
  out += "</div></section>\n";
}

/// The exact number of a cell, for sorting.
std::string exact(const Cell& cell) {
  const auto number = cell.number();
  if (!number || !std::isfinite(*number)) return "";
  std::array<char, 32> buffer{};
  const auto* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *number).ptr;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

void append_cell(std::string& out, const Cell& cell, ColumnType type) {
  const std::string text = escaped(humanize(cell, type));
  if (type == ColumnType::text) {
    out += fmt::format("<td class=\"text\" title=\"{}\">{}</td>", text, text);
    return;
  }
  const auto number = cell.number();
  if (type == ColumnType::percent && number && *number >= 0 && *number <= 100) {
    out += fmt::format("<td class=\"number share\" style=\"--share:{:.1f}%\" data-v=\"{}\">{}</td>",
                       *number, exact(cell), text);
    return;
  }
  out += fmt::format("<td class=\"number\" data-v=\"{}\">{}</td>", exact(cell), text);
}

void append_html_table(std::string& out, const Table& table) {
  out += fmt::format(
      "<section class=\"table\" data-table=\"{}\"><div class=\"head\"><h2>{}</h2>"
      "<span class=\"count\">{} {}</span><input type=\"search\" placeholder=\"Filter\" "
      "aria-label=\"Filter {}\"></div>\n<div class=\"scroll\"><table><thead><tr>",
      escaped(table.name), escaped(table.title), table.rows.size(),
      table.rows.size() == 1 ? "row" : "rows", escaped(table.title));
  for (const Column& column : table.columns) {
    out += fmt::format("<th{}><button type=\"button\" title=\"{}\">{}</button></th>",
                       column.type == ColumnType::text ? "" : " class=\"number\"",
                       escaped(column.name), escaped(column.heading));
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) append_cell(out, row[i], table.columns[i].type);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>";
  if (!table.notes.empty()) {
    out += "<ul class=\"notes\">";
    for (const std::string& note : table.notes) out += fmt::format("<li>{}</li>", escaped(note));
    out += "</ul>";
  }
  out += "</section>\n";
}

void append_figures(std::string& out, const Figures& figures) {
  if (figures.timeline) {
    out +=
        "<section id=\"timeline\"><h2>Timeline</h2><canvas tabindex=\"0\" "
        "aria-label=\"Timeline\"></canvas><p class=\"hint\">Wheel or + and − zoom, drag or arrows "
        "move, double click or Escape shows all.</p></section>\n";
  }
  if (figures.breakdown) {
    out += fmt::format("<section id=\"breakdown\"><h2>{}</h2></section>\n",
                       escaped(figures.breakdown->title));
  }
  for (std::size_t i = 0; i < figures.rooflines.size(); ++i) {
    out += fmt::format("<section id=\"roofline-{}\"><h2>Roofline: {}</h2></section>\n", i,
                       escaped(figures.rooflines[i].title));
  }
}

void append_diagnostics(std::string& out, const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return;
  out += "<section><h2>Left out or malformed</h2><ul class=\"notes\">";
  for (const Diagnostic& entry : diagnostics.entries()) {
    out += fmt::format("<li>{}: {} ({})</li>", escaped(entry.name),
                       humanize(entry.count, ColumnType::integer), escaped(entry.detail));
  }
  out += "</ul></section>\n";
}

}  // namespace

std::string render_html(const Report& report) {
  // The policy makes the promise that nothing is fetched one the browser keeps.
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style></head>\n<body>\n<header><h1>{}</h1>\n",
      escaped(report.title), page_file("page.css"), escaped(report.title));
  append_facts(out, report.facts);
  out += "</header>\n<main>\n";
  append_findings(out, report);
  append_figures(out, report.figures);
  for (const Table& table : report.tables) append_html_table(out, table);
  append_diagnostics(out, report.diagnostics);
  out += fmt::format(
      "</main>\n<footer>Made by assay. This page holds all its data and asks the network for "
      "nothing.</footer>\n<script type=\"application/json\" id=\"figures\">{}</script>\n"
      "<script>\n{}</script>\n</body></html>\n",
      page_data(report.figures), page_file("page.js"));
  return out;
}

}  // namespace assay::trace
