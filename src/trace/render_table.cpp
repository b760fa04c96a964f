#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/human.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kGap = 2;             // spaces between columns
constexpr std::size_t kNarrowestText = 24;  // a text column is not shortened below this

using Grid = std::vector<std::vector<std::string>>;  // the headings, then the rows

Grid to_grid(const Table& table) {
  Grid grid(1);
  for (const Column& column : table.columns) grid[0].push_back(to_one_line(column.heading));
  for (const auto& row : table.rows) {
    auto& line = grid.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line.push_back(to_one_line(humanize(row[i], table.columns[i].type)));
    }
  }
  return grid;
}

/// The width of each column; the widest text columns give way until the table fits.
std::vector<std::size_t> column_widths(const Table& table, const Grid& grid, std::size_t limit) {
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& line : grid) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  const auto total = [&widths] {
    return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  };
  while (!widths.empty() && total() > limit) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (table.columns[i].type != ColumnType::text || widths[i] <= kNarrowestText) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) break;
    widths[widest] =
        std::max(kNarrowestText, widths[widest] - std::min(widths[widest], total() - limit));
  }
  return widths;
}

/// Shortens the cells of text columns to their widths, so that different ones stay different.
void shorten_cells(const Table& table, const std::vector<std::size_t>& widths, Grid& grid) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (table.columns[i].type != ColumnType::text) continue;
    std::vector<std::string> column;
    for (std::size_t row = 1; row < grid.size(); ++row) column.push_back(grid[row][i]);
    column = shorten_apart(column, widths[i]);
    for (std::size_t row = 1; row < grid.size(); ++row) grid[row][i] = std::move(column[row - 1]);
  }
}

void append_line(std::string& out, const Table& table, const std::vector<std::string>& line,
                 const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string shown = shorten_middle(line[i], widths[i]);
    const std::string padding(widths[i] - display_width(shown), ' ');
    const bool left = table.columns[i].type == ColumnType::text;
    if (i > 0) text.append(kGap, ' ');
    text += left ? shown + padding : padding + shown;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  out += text + '\n';
}

void append_table(std::string& out, const Table& table, std::size_t limit) {
  Grid grid = to_grid(table);
  const auto widths = column_widths(table, grid, limit);
  shorten_cells(table, widths, grid);
  out += '\n' + to_one_line(table.title) + '\n';
  append_line(out, table, grid[0], widths);
  std::vector<std::string> rule;
  rule.reserve(widths.size());
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  append_line(out, table, rule, widths);
  for (std::size_t i = 1; i < grid.size(); ++i) append_line(out, table, grid[i], widths);
  if (table.rows.empty()) out += "(no rows)\n";
  for (const std::string& note : table.notes) {
    out += wrap_words("note: " + to_one_line(note), "", std::max(limit, kNarrowestText));
  }
}

void append_facts(std::string& out, const std::vector<Fact>& facts, std::string_view indent) {
  std::size_t width = 0;
  for (const Fact& fact : facts) width = std::max(width, display_width(fact.heading));
  for (const Fact& fact : facts) {
    const std::string heading = to_one_line(fact.heading);
    out += fmt::format("{}{}{}  {}\n", indent, heading,
                       std::string(width - std::min(width, display_width(heading)), ' '),
                       to_one_line(humanize(fact.value, fact.type)));
  }
}

void append_finding(std::string& out, const Finding& finding, std::size_t width) {
  std::string heading = fmt::format("[{}] {}", to_string(finding.kind), to_one_line(finding.title));
  if (!finding.subject.empty()) heading += fmt::format(": {}", to_one_line(finding.subject));
  out += '\n' + shorten_middle(heading, std::max(width, kNarrowestText)) + '\n';
  out += wrap_words(to_one_line(finding.message), "  ", width);
  append_facts(out, finding.evidence, "    ");
}

}  // namespace

std::string render_table(const Report& report, const RenderOptions& options) {
  std::string out = to_one_line(report.title) + '\n';
  append_facts(out, report.facts, "  ");
  for (const Finding& finding : report.findings) {
    if (comes_first(finding.kind)) append_finding(out, finding, options.width);
  }
  for (const Table& table : report.tables) append_table(out, table, options.width);
  for (const Finding& finding : report.findings) {
    if (!comes_first(finding.kind)) append_finding(out, finding, options.width);
  }
  if (!report.diagnostics.empty()) {
    out += "\nLeft out or malformed\n" + render_diagnostics(report.diagnostics);
  }
  return out;
}

}  // namespace assay::trace
