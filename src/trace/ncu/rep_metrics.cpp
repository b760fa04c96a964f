#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/diagnostics.hpp"
#include "trace/ncu/rep_decode.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/units.hpp"
#include "trace/ncu/wire.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

NcuInstance decode_instance(std::string_view message, Diagnostics& diagnostics) {
  NcuInstance instance;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) instance.correlation_id = decode_value(field->bytes(), diagnostics);
    if (field->number == 2) instance.value = decode_value(field->bytes(), diagnostics);
  }
  if (reader.malformed()) diagnostics.add("malformed_instance", "an instance of a metric");
  return instance;
}

}  // namespace

Cell decode_value(std::string_view message, Diagnostics& diagnostics) {
  Cell value;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        value = Cell(field->bytes());
        break;
      case 2:
      case 3:
        value = Cell(field->real());
        break;
      case 4:
      case 5:
        value = Cell(field->integer());
        break;
      default:
        break;
    }
  }
  if (reader.malformed()) diagnostics.add("malformed_value", "a value of a metric");
  return value;
}

void decode_metric(std::string_view message, const std::vector<std::string>& names,
                   std::vector<NcuMetric>& metrics, Diagnostics& diagnostics) {
  NcuMetric metric;
  std::optional<std::uint64_t> name;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) name = field->integer();
    if (field->number == 2) metric.value = decode_value(field->bytes(), diagnostics);
    if (field->number == 3) {
      metric.instances.push_back(decode_instance(field->bytes(), diagnostics));
    }
  }
  if (reader.malformed()) diagnostics.add("malformed_metric", "a metric's result");
  if (!name || *name >= names.size()) {
    diagnostics.add("metric_without_name", "a metric's name is not in the report's string table");
    return;
  }
  metric.name = names[*name];
  metric.unit = unit_of_metric(metric.name);
  metrics.push_back(std::move(metric));
}

}  // namespace assay::trace
