#include "eval/contender.hpp"

#include <cstddef>
#include <expected>
#include <vector>

#include <fmt/core.h>

#include "eval/runner.hpp"
#include "model/verdict.hpp"

namespace assay::eval {

Attempt<std::vector<double>> counted(std::vector<double> times, int asked) {
  if (times.size() == static_cast<std::size_t>(asked)) return times;
  return std::unexpected(
      Fate{Tampered{.rule = "protocol",
                    .reason = fmt::format("{} timed runs were asked for, {} times came back", asked,
                                          times.size())},
           {}});
}

}  // namespace assay::eval
