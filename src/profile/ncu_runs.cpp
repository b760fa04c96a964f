#include "profile/ncu_runs.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "profile/program.hpp"
#include "trace/analysis/counted_picks.hpp"
#include "trace/analysis/pick_kernels.hpp"
#include "trace/ncu/reader.hpp"
#include "trace/ncu/report.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

/// The plan's command with what a run needs that a person at a shell does not.
std::vector<std::string> command_of(const trace::PickPlan& plan, const trace::KernelPick& pick,
                                    const fs::path& ncu, const fs::path& report) {
  std::vector<std::string> argv = trace::ncu_command(plan, pick);
  argv.front() = ncu.string();
  const auto exported = std::ranges::find(argv, "--export");
  *(exported + 1) = report.string();
  // At the clocks that the timeline was recorded at: elsewhere times could not be compared.
  argv.insert(argv.begin() + 1,
              {"--config-file", "off", "--force-overwrite", "--clock-control", "none",
               // The rest of the program is of no use once the launch was counted.
               "--kill", "yes"});
  return argv;
}

/// The words of the plan's command, one a line: kept beside a report, they say what it is of.
std::string words_of(const trace::PickPlan& plan, const trace::KernelPick& pick) {
  return fmt::format("{}\n", fmt::join(trace::ncu_command(plan, pick), "\n"));
}

/// The last line in which ncu speaks of an error or a warning; empty where there is none.
std::string complaint(const fs::path& log) {
  const std::string text = read_file(log).value_or("");
  std::string found;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    for (const std::string_view mark : {"==ERROR== ", "==WARNING== "}) {
      if (line.starts_with(mark)) found = line.substr(mark.size());
    }
  }
  return found;
}

Result<trace::NcuReport> read_report(const fs::path& path) {
  ASSAY_TRY(trace::NcuReport report, trace::read_ncu(path));
  if (report.launches.empty()) {
    return fail(ErrorCode::not_found, "ncu profiled no launch");
  }
  return report;
}

}  // namespace

Result<std::vector<trace::CountedPick>> run_ncu(const trace::PickPlan& plan, const fs::path& ncu,
                                                const fs::path& folder, const std::stop_token& stop,
                                                const Clock& clock, const NcuProgress& progress) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (auto done = write_file_atomically(folder / "plan.yaml", trace::ncu_yaml(plan)); !done) {
    return std::unexpected(std::move(done).error());
  }
  std::vector<trace::CountedPick> out;
  for (const trace::KernelPick& pick : plan.picks) {
    trace::CountedPick counted{.pick = pick};
    const std::string name = trace::export_name(pick);
    const fs::path kept = folder / (name + ".ncu-rep");
    const fs::path command = folder / (name + ".command");
    if (read_file(command).value_or("") == words_of(plan, pick)) {
      if (auto before = read_report(kept)) {
        counted.report = *std::move(before);
        out.push_back(std::move(counted));
        continue;
      }
    }
    if (ncu.empty()) continue;
    progress(out.size() + 1, plan.picks.size(), pick);
    // Under another name until it is whole.
    const fs::path part = folder / (name + ".part.ncu-rep");
    const fs::path output = folder / (name + ".log");
    const auto ended = run_program({.argv = command_of(plan, pick, ncu, part),
                                    .output = output,
                                    .errors = folder / (name + ".stderr.log"),
                                    .show = false},
                                   stop, clock, [](std::chrono::seconds) {});
    if (ended && ended->stopped) {
      fs::remove(part, error);
      return fail(ErrorCode::cancelled, "stopped while ncu counted");
    }
    auto report = read_report(part);
    if (report) {
      fs::remove(command, error);  // that of the report before this one
      fs::rename(part, kept, error);
      if (auto done = write_file_atomically(command, words_of(plan, pick)); !done) {
        return std::unexpected(std::move(done).error());
      }
      counted.report = *std::move(report);
    } else if (!ended) {
      counted.failure = ended.error().message();
    } else {
      const std::string said = complaint(output);
      counted.failure = said.empty() ? fmt::format("ncu ended with {} and left no report (see {})",
                                                   ended->exit_code, output.filename().string())
                                     : said;
    }
    out.push_back(std::move(counted));
  }
  return out;
}

}  // namespace assay::profile
