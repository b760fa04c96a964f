#include "worker/python_process.hpp"

#include <span>
#include <string>
#include <string_view>

#include "eval/runner.hpp"
#include "worker/exchange.hpp"

namespace assay::worker {

eval::Attempt<std::string> PythonProcess::call(std::string_view command,
                                               std::span<const int> descriptors,
                                               const eval::Bounds& bounds) {
  return exchange(process_, channel_, output_, command, descriptors, bounds);
}

}  // namespace assay::worker
