#include "metrics/sanitizer_command.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "model/request.hpp"

namespace assay::metrics {

std::vector<std::string_view> sanitizer_tools(const Sanitize& wanted) {
  std::vector<std::string_view> tools;
  if (wanted.memory) tools.emplace_back("memcheck");
  if (wanted.init) tools.emplace_back("initcheck");
  if (wanted.sync) tools.emplace_back("synccheck");
  if (wanted.race) tools.emplace_back("racecheck");
  return tools;
}

std::vector<std::string> sanitizer_command(const SanitizerRun& run) {
  std::vector<std::string> argv{
      run.program.string(), "--tool", std::string(run.tool), "--log-file", run.log_file.string(),
      // A kernel may be launched by a process that the runner starts.
      "--target-processes", "all",
      // A driver that is asked for what it does not have is no mistake of the kernel.
      "--report-api-errors", "no", "--show-backtrace", "no", "--print-limit", "32",
      // The launch ends, the process goes on: it has to answer.
      "--destroy-on-device-error", "kernel"};
  if (run.tool == "racecheck") {
    // Each with both threads. The other form sums them up by line and names no thread.
    argv.insert(argv.end(), {"--racecheck-report", "hazard"});
  }
  return argv;
}

}  // namespace assay::metrics
