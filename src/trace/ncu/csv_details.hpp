#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trace/ncu/csv_columns.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/units.hpp"

namespace assay::trace {

/// The details page: a record per metric or per message of a rule. Records of metrics end after the
/// value, so they are shorter than the header. Those of rules are not.
class DetailsPage {
 public:
  DetailsPage(const std::vector<std::string>& header, Decimal decimal);

  void add(const std::vector<std::string>& record, NcuReport& report);

 private:
  using Record = std::vector<std::string>;
  NcuLaunch* launch_of(const Record& record, NcuReport& report) const;
  void add_metric(const Record& record, NcuLaunch& launch, NcuReport& report) const;
  void add_rule(const Record& record, NcuLaunch& launch) const;

  Decimal decimal_;
  LaunchColumns columns_;
  std::optional<std::size_t> section_, metric_, unit_, value_, rule_, rule_type_, rule_text_,
      speedup_type_, speedup_;
};

}  // namespace assay::trace
