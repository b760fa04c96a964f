#include "eval/contender.hpp"

#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
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

Attempt<Counted> Contender::count(const CountCommand&, const Bounds&) {
  return std::unexpected(Fate{Unsupported{"its runner cannot count what it does"}, {}});
}

Attempt<void> stopped(Result<void> paused, std::string_view until_when) {
  if (paused) return {};
  if (paused.error().code() != ErrorCode::deadline_exceeded) {
    return std::unexpected(std::move(paused).error());
  }
  return tampered("pause", fmt::format("its processes cannot be stopped {}", until_when));
}

}  // namespace assay::eval
