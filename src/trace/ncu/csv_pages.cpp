#include "trace/ncu/csv_pages.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/csv.hpp"
#include "trace/ncu/csv_columns.hpp"
#include "trace/ncu/csv_details.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/units.hpp"

namespace assay::trace {
namespace {

using Record = std::vector<std::string>;

/// The raw page: a column per metric, below it its unit, then a record per launch.
class RawPage {
 public:
  RawPage(Record header, Decimal decimal) : header_(std::move(header)), decimal_(decimal) {
    columns_ = find_launch_columns(header_);
  }

  void add(const Record& record, NcuReport& report) {
    if (record.size() != header_.size()) {
      report.diagnostics.add(
          "record_of_wrong_length",
          fmt::format("a record of {} fields under {} columns", record.size(), header_.size()));
      return;
    }
    if (units_.empty()) {
      for (const std::string& unit : record) units_.push_back(to_base_unit(unit));
      return;
    }
    auto launch = read_launch(record, columns_);
    if (!launch) {
      report.diagnostics.add("record_without_id", "a record whose ID is not a number");
      return;
    }
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (columns_.contains(i)) continue;
      launch->metrics.push_back(
          {.name = header_[i],
           .unit = units_[i].base,
           .value = parse_printed_value(record[i], units_[i].exponent, decimal_)});
    }
    launch->sort_metrics();
    report.launches.push_back(std::move(*launch));
  }

 private:
  Record header_;
  Decimal decimal_;
  LaunchColumns columns_;
  std::vector<UnitScale> units_;
};

/// The page the current record belongs to: one stream may hold several, each with its header.
class Pages {
 public:
  Pages(NcuReport& report, Decimal decimal) : report_(report), decimal_(decimal) {}

  [[nodiscard]] bool found_any() const { return raw_ || details_; }

  void add(const Record& record) {
    if (is_header(record)) {
      start(record);
    } else if (raw_) {
      raw_->add(record, report_);
    } else if (details_) {
      details_->add(record, report_);
    } else {
      report_.diagnostics.add("line_outside_table", record[0]);
    }
  }

 private:
  void start(const Record& header) {
    raw_.reset();
    details_.reset();
    if (std::ranges::find(header, "Section Name") != header.end()) {
      report_.source = NcuReport::Source::details_page;
      details_.emplace(header, decimal_);
    } else {
      report_.source = NcuReport::Source::raw_page;
      raw_.emplace(header, decimal_);
    }
  }

  NcuReport& report_;
  Decimal decimal_;
  std::optional<RawPage> raw_;
  std::optional<DetailsPage> details_;
};

}  // namespace

Result<NcuReport> parse_ncu_csv(std::string_view text) {
  NcuReport report;
  Pages pages(report, decimal_of_page(text));
  CsvReader reader(text);
  while (!reader.at_end()) {
    // The tool quotes every field; anything else is the program's output or the tool's own log.
    if (reader.peek_line().starts_with('"')) {
      if (const auto record = reader.next()) pages.add(*record);
      continue;
    }
    if (!reader.peek_line().empty()) {
      report.diagnostics.add("line_outside_table", reader.peek_line());
    }
    reader.skip_line();
  }
  if (!pages.found_any()) {
    return fail(ErrorCode::invalid_argument,
                "no CSV page of Nsight Compute: no header line that starts with \"ID\"");
  }
  report.diagnostics.add("malformed_quotes", "a quoted field that does not end",
                         reader.malformed());
  for (NcuLaunch& launch : report.launches) launch.sort_metrics();
  return report;
}

}  // namespace assay::trace
