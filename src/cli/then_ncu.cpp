#include "cli/then_ncu.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "cli/profile_input.hpp"
#include "cli/say.hpp"
#include "profile/engines.hpp"
#include "profile/ncu_runs.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/counted_picks.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/pick_kernels.hpp"
#include "trace/events/events.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

Result<fs::path> check(const ThenNcu& wanted, const profile::Gates& gates,
                       const std::string& search_path) {
  if (gates.delay_s || gates.duration_s) {
    return fail(ErrorCode::invalid_argument,
                "--then-ncu finds a launch by counting those before it, and --delay and --duration "
                "cut those off: use --nvtx-range or --cuda-profiler-api instead");
  }
  if (wanted.ncu) {
    if (::access(wanted.ncu->c_str(), X_OK) == 0) return fs::absolute(*wanted.ncu);
    return fail(ErrorCode::not_found,
                fmt::format("--ncu: {} is no program that can be run", wanted.ncu->string()));
  }
  for (const profile::Engine& engine : profile::find_engines(search_path)) {
    if (engine.name != "ncu") continue;
    if (engine.path) return *engine.path;
    return fail(ErrorCode::not_found,
                fmt::format("--then-ncu: ncu is {}; name it with --ncu", engine.told));
  }
  return fail(ErrorCode::not_found, "--then-ncu: there is no ncu");
}

Result<std::vector<trace::CountedPick>> count_kernels(
    const ThenNcu& wanted, const fs::path& ncu, const profile::Gates& gates,
    const fs::path& timeline, const fs::path& folder, const std::vector<std::string>& command,
    const std::stop_token& stop, const Clock& clock) {
  ASSAY_TRY(const Profile profile, open_profile(timeline, {}));
  const auto* events = std::get_if<trace::Trace>(&profile);
  if (events == nullptr) return fail(ErrorCode::invalid_argument, "it holds no events");
  const trace::OpClassifier classifier;
  trace::Analysis analysis(*events, classifier);
  std::string range = wanted.range.empty() ? profile::plain_range(gates.nvtx_range) : wanted.range;
  // NAME@DOMAIN, unless a range has all of it for a name.
  if (!range.empty() && !analysis.ranges_named(range)) {
    range.resize(std::min(range.rfind('@'), range.size()));
  }
  ASSAY_TRY(trace::PickPlan plan,
            trace::pick_kernels(analysis, wanted.kernels, range, trace::RangeRule::both));
  if (!wanted.set.empty()) plan.set = wanted.set;
  plan.command = command;
  plan.from_profiler_start = gates.cuda_profiler;
  if (plan.picks.empty()) {
    return fail(ErrorCode::not_found, "the timeline holds no kernels that ncu could count");
  }
  const auto tell = [](std::size_t number, std::size_t of, const trace::KernelPick& pick) {
    say(stderr, "assay: ncu {} of {}: {:.1f} % of kernel time, launch {} of {}\n", number, of,
        pick.time_pct, pick.launch_skip + 1, pick.name);
  };
  return profile::run_ncu(plan, ncu, fs::absolute(folder / "ncu"), stop, clock, tell);
}

}  // namespace assay::cli
