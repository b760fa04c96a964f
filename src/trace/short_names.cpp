#include "trace/short_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/core.h>

#include "model/kernel_name.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

bool holds_kernels(const Table& table, const Column& column) {
  constexpr std::array<std::string_view, 3> kNames = {"name", "kernel", "top_kernel"};
  constexpr std::array<std::string_view, 4> kOthers = {"ranges", "cuda_api", "sections",
                                                       "nvtx_sum"};
  return std::ranges::find(kNames, column.name) != kNames.end() &&
         std::ranges::find(kOthers, table.name) == kOthers.end();
}

void shorten_column(Table& table, std::size_t column) {
  std::map<std::string, std::set<std::string>> full_of;
  const auto text_of = [&](const std::vector<Cell>& row) {
    return std::get_if<std::string>(&row[column].value());
  };
  for (const auto& row : table.rows) {
    if (const auto* text = text_of(row)) {
      full_of[std::string(short_kernel_name(*text))].insert(*text);
    }
  }
  for (auto& row : table.rows) {
    const auto* text = text_of(row);
    if (text == nullptr) continue;
    const std::string name(short_kernel_name(*text));
    const bool alone = full_of[name].size() < 2;
    row[column] = alone ? Cell(name) : Cell(comparable_kernel_name(*text));
  }
}

}  // namespace

void shorten_names(Report& report) {
  for (Table& table : report.tables) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (holds_kernels(table, table.columns[i])) shorten_column(table, i);
    }
  }
  for (Finding& finding : report.findings) {
    // "#3 void f<4>(int)": a launch of Nsight Compute.
    const std::size_t blank = finding.subject.find(' ');
    if (!finding.subject.starts_with('#') || blank == std::string::npos) continue;
    finding.subject = fmt::format("{} {}", finding.subject.substr(0, blank),
                                  short_kernel_name(finding.subject.substr(blank + 1)));
  }
}

}  // namespace assay::trace
