#include "eval/busy_part.hpp"

#include <algorithm>
#include <chrono>

namespace assay::eval {

double BusyPart::value() const {
  const auto now = machine_.processor_pressure();
  const auto passed = elapsed();
  if (!now || !before_ || passed <= passed.zero()) return 0;
  const std::chrono::duration<double> waited = *now - *before_;
  return std::clamp(waited / passed, 0.0, 1.0);
}

}  // namespace assay::eval
