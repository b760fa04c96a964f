#include "wire/counted_json.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/counter_value.hpp"
#include "model/device_metrics.hpp"
#include "model/runner_protocol.hpp"
#include "wire/fields.hpp"

namespace assay::wire {
namespace {

constexpr std::size_t kMostValues = 1000;  // some 150 are asked for
constexpr std::size_t kLongestChip = 32;

}  // namespace

Json counted_json(const Counted& reply) {
  Json values = Json::array();
  for (const CounterValue& value : reply.values) values.push_back({value.metric, value.value});
  return {{"reply", "counted"},
          {"chip", reply.chip},
          {"passes", reply.passes},
          {"values", std::move(values)},
          {"missing", reply.missing}};
}

Counted read_counted(const Json& json) {
  Counted counted{.chip = json.at("chip"),
                  .passes = json.at("passes").get_ref<const std::uint64_t&>(),
                  .values = {},
                  .missing = json.at("missing")};
  const Json& values = json.at("values");
  if (values.size() > kMostValues || counted.chip.size() > kLongestChip) {
    throw std::invalid_argument("more counters than anybody asks for");
  }
  for (const Json& value : values) {
    counted.values.push_back({.metric = value.at(0), .value = value.at(1)});
    const CounterValue& read = counted.values.back();
    if (!is_profiler_name(read.metric) || !std::isfinite(read.value)) {
      throw std::invalid_argument("this is no value of a counter");
    }
  }
  return counted;
}

}  // namespace assay::wire
