#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "trace/render.hpp"
#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kEndOfRecord = "\r\n";  // RFC 4180

void append_text(std::string& out, std::string_view text) {
  const std::string valid = to_valid_utf8(text);
  if (valid.find_first_of("\",\r\n") == std::string::npos) {
    out += valid;
    return;
  }
  out += '"';
  for (const char c : valid) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_real(std::string& out, double value) {
  if (!std::isfinite(value)) return;  // as absent
  // Written out where that is short: a shell computes with 100000 and not with 1e+05.
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e15);
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  out.append(buffer.data(), end);
}

void append_cell(std::string& out, const Cell& cell) {
  std::visit(
      [&out](const auto& held) {
        using T = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<T, double>) {
          append_real(out, held);
        } else if constexpr (std::is_same_v<T, std::string>) {
          append_text(out, held);
        } else if constexpr (std::is_integral_v<T>) {
          out += std::to_string(held);
        }
      },
      cell.value());
}

void append_csv_table(std::string& out, const Table& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_text(out, table.columns[i].name);
  }
  out += kEndOfRecord;
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      append_cell(out, row[i]);
    }
    out += kEndOfRecord;
  }
}

Table findings_table(const std::vector<Finding>& findings) {
  Table table{.name = "findings",
              .title = "Findings",
              .columns = {{"kind", "Kind"},
                          {"name", "Name"},
                          {"title", "Title"},
                          {"subject", "Subject"},
                          {"message", "Message"}}};
  for (const Finding& finding : findings) {
    table.add_row(
        {to_string(finding.kind), finding.name, finding.title, finding.subject, finding.message});
  }
  return table;
}

}  // namespace

std::string render_csv(const Report& report) {
  std::string out;
  if (report.tables.empty()) {
    append_csv_table(out, findings_table(report.findings));
  } else if (report.tables.size() == 1) {
    append_csv_table(out, report.tables.front());
  } else {
    // Several tables in one stream: each under a record `table,<name>`, an empty line between.
    for (const Table& table : report.tables) {
      if (!out.empty()) out += kEndOfRecord;
      out += "table,";
      append_text(out, table.name);
      out += kEndOfRecord;
      append_csv_table(out, table);
    }
  }
  return out;
}

}  // namespace assay::trace
