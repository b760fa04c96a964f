#include "worker/python_process.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "eval/runner.hpp"
#include "worker/exchange.hpp"

namespace assay::worker {

eval::Attempt<std::string> PythonProcess::call(std::string_view command,
                                               std::span<const int> descriptors,
                                               const eval::Bounds& bounds) {
  resume();
  return exchange(process_, channel_, output_, command, descriptors, bounds);
}

Result<void> PythonProcess::pause() {
  paused_ = true;
  return process_.pause();
}

void PythonProcess::resume() {
  if (std::exchange(paused_, false)) process_.resume();
}

}  // namespace assay::worker
