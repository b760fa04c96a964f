#pragma once

#include <string>

namespace assay {

/// What a counter said of one call, in the metric's base unit.
struct CounterValue {
  std::string metric;  // "dram__bytes.sum"
  double value = 0;
};

}  // namespace assay
