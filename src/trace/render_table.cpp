#include <algorithm>
#include <array>
#include <cstddef>
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

constexpr std::size_t kGap = 2;              // spaces between columns
constexpr std::size_t kNarrowestText = 24;   // a text column is not shortened below this
constexpr std::size_t kNarrowestAside = 12;  // nor one that says less than the others

using Grid = std::vector<std::vector<std::string>>;

Grid to_grid(const Table& table) {
  Grid grid;
  for (const auto& row : table.rows) {
    auto& line = grid.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line.push_back(to_one_line(humanize(row[i], table.columns[i].type)));
    }
  }
  return grid;
}

std::vector<std::string> heading_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// What a table can do without where it is too wide, the first of these first.
constexpr std::array<std::string_view, 16> kAside = {"rule",
                                                     "matched_by",
                                                     "stddev_ns",
                                                     "projected_min_ns",
                                                     "projected_max_ns",
                                                     "min_ns",
                                                     "max_ns",
                                                     "call_median_ns",
                                                     "wait_median_ns",
                                                     "median_ns",
                                                     "kernel_sum_ns",
                                                     "kernel_memory_overlap_ns",
                                                     "b_total_ns",
                                                     "a_total_ns",
                                                     "b_count",
                                                     "a_count"};

bool is_aside(const Column& column) {
  return std::ranges::find(kAside, column.name) != kAside.end();
}

/// How wide each column of a table is shown, in at most so many columns of a terminal.
class ColumnLayout {
 public:
  ColumnLayout(const Table& table, const Grid& grid, std::size_t limit)
      : table_(table), limit_(limit), shown_(table.columns.size(), true) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      std::size_t cells = 0;
      for (const auto& line : grid) cells = std::max(cells, display_width(line[i]));
      cells_.push_back(cells);
      widths_.push_back(std::max(cells, display_width(to_one_line(table.columns[i].heading))));
    }
    shorten([](const Column&) { return true; }, kNarrowestText);
    if (total() > limit_) wrap_headings();
    shorten(is_aside, kNarrowestAside);
    for (const std::string_view name : kAside) {
      if (total() > limit_) leave_out(name);
    }
    const std::vector<std::size_t> readable = widths_;
    shorten([](const Column&) { return true; }, kNarrowestAside);
    if (total() > limit_) widths_ = readable;
  }

  [[nodiscard]] bool shows(std::size_t column) const { return shown_[column]; }
  [[nodiscard]] std::size_t width(std::size_t column) const { return widths_[column]; }
  /// The headings of the columns that were left out, in a list; empty where none was.
  [[nodiscard]] const std::string& left_out() const { return left_out_; }

 private:
  [[nodiscard]] std::size_t total() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      if (shown_[i]) sum += (sum == 0 ? 0 : kGap) + widths_[i];
    }
    return sum;
  }

  /// The widest text columns give way, until the table fits or they are all narrow.
  template <class Which>
  void shorten(Which which, std::size_t narrowest) {
    while (total() > limit_) {
      std::size_t widest = widths_.size();
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        const bool gives = shown_[i] && table_.columns[i].type == ColumnType::text &&
                           which(table_.columns[i]) && widths_[i] > narrowest;
        if (gives && (widest == widths_.size() || widths_[i] > widths_[widest])) widest = i;
      }
      if (widest == widths_.size()) return;
      widths_[widest] =
          std::max(narrowest, widths_[widest] - std::min(widths_[widest], total() - limit_));
    }
  }

  /// Columns of numbers become as narrow as these and the words of their headings are.
  void wrap_headings() {
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      if (table_.columns[i].type == ColumnType::text) continue;
      std::size_t longest = 0;
      for (const std::string& word : heading_words(to_one_line(table_.columns[i].heading))) {
        longest = std::max(longest, display_width(word));
      }
      widths_[i] = std::max(cells_[i], longest);
    }
  }

  void leave_out(std::string_view name) {
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      if (!shown_[i] || table_.columns[i].name != name) continue;
      shown_[i] = false;
      left_out_ += (left_out_.empty() ? "" : ", ") + table_.columns[i].heading;
    }
  }

  const Table& table_;
  std::size_t limit_;
  std::vector<bool> shown_;
  std::vector<std::size_t> cells_;   // the widest cell of each column
  std::vector<std::size_t> widths_;  // as shown
  std::string left_out_;
};

/// Shortens the cells of text columns to their widths, so that different ones stay different.
void shorten_cells(const Table& table, const ColumnLayout& layout, Grid& grid) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].type != ColumnType::text || !layout.shows(i)) continue;
    std::vector<std::string> column;
    for (const auto& line : grid) column.push_back(line[i]);
    column = shorten_apart(column, layout.width(i));
    for (std::size_t row = 0; row < grid.size(); ++row) grid[row][i] = std::move(column[row]);
  }
}

void append_line(std::string& out, const Table& table, const std::vector<std::string>& line,
                 const ColumnLayout& layout) {
  std::string text;
  bool first = true;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!layout.shows(i)) continue;
    const std::string shown = shorten_middle(line[i], layout.width(i));
    const std::string padding(layout.width(i) - display_width(shown), ' ');
    const bool left = table.columns[i].type == ColumnType::text;
    if (!std::exchange(first, false)) text.append(kGap, ' ');
    text += left ? shown + padding : padding + shown;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  out += text + '\n';
}

/// Headings on as many lines as the longest of them needs, the last beside the rule.
void append_headings(std::string& out, const Table& table, const ColumnLayout& layout) {
  Grid wrapped;
  std::size_t lines = 1;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    auto& own = wrapped.emplace_back(1);
    const std::string heading = to_one_line(table.columns[i].heading);
    if (table.columns[i].type == ColumnType::text || display_width(heading) <= layout.width(i)) {
      own[0] = heading;
    } else {
      for (const std::string& word : heading_words(heading)) {
        const bool fits = display_width(own.back()) + 1 + display_width(word) <= layout.width(i);
        if (own.back().empty() || !fits) {
          if (!own.back().empty()) own.emplace_back();
          own.back() = word;
        } else {
          own.back() += ' ' + word;
        }
      }
    }
    if (layout.shows(i)) lines = std::max(lines, own.size());
  }
  for (std::size_t line = lines; line > 0; --line) {
    std::vector<std::string> shown;
    for (const auto& own : wrapped) {
      shown.push_back(line > own.size() ? "" : own[own.size() - line]);
    }
    append_line(out, table, shown, layout);
  }
}

void append_table(std::string& out, const Table& table, std::size_t limit) {
  Grid grid = to_grid(table);
  const ColumnLayout layout(table, grid, limit);
  shorten_cells(table, layout, grid);
  out += '\n' + to_one_line(table.title) + '\n';
  append_headings(out, table, layout);
  std::vector<std::string> rule;
  for (std::size_t i = 0; i < table.columns.size(); ++i) rule.emplace_back(layout.width(i), '-');
  append_line(out, table, rule, layout);
  for (const auto& line : grid) append_line(out, table, line, layout);
  if (table.rows.empty()) out += "(no rows)\n";
  const std::size_t width = std::max(limit, kNarrowestText);
  for (const std::string& note : table.notes) {
    out += wrap_words("note: " + to_one_line(note), "", width);
  }
  if (!layout.left_out().empty()) {
    out += wrap_words(
        fmt::format("note: Too narrow for: {}. --format csv has every column.", layout.left_out()),
        "", width);
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
