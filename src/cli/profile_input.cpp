#include "cli/profile_input.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "process/exit_status.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"
#include "trace/events/kineto.hpp"
#include "trace/events/nsys_rep.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/ncu/reader.hpp"
#include "trace/profile_kind.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kExportWithin{30};  // reports of many gigabytes take minutes

std::optional<fs::path> installed_nsys() {
  std::error_code error;
  for (const char* path : {"/usr/local/bin/nsys", "/usr/bin/nsys", "/usr/local/cuda/bin/nsys"}) {
    if (fs::exists(path, error)) return path;
  }
  std::optional<fs::path> newest;
  for (const auto& entry : fs::directory_iterator("/opt/nvidia/nsight-systems", error)) {
    fs::path candidate = entry.path() / "bin" / "nsys";
    if (fs::exists(candidate, error) && (!newest || *newest < candidate)) newest = candidate;
  }
  return newest;
}

Result<void> run_to_end(const std::vector<std::string>& argv) {
  const SystemClock clock;
  const process::Command command{.argv = argv,
                                 .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp"},
                                 .working_directory = fs::current_path()};
  ASSAY_TRY(const process::CapturedRun run,
            process::run_captured(command, process::JailSupport{}, Deadline(clock, kExportWithin),
                                  {}, std::size_t{1} << 16U));
  if (!run.status) return fail(ErrorCode::deadline_exceeded, argv.front() + " took too long");
  if (*run.status == process::ExitStatus(process::Exited{0})) return {};
  return fail(ErrorCode::unavailable,
              fmt::format("{} {}: {}", argv.front(), process::describe(*run.status), run.output));
}

template <class T>
Result<Profile> as_profile(Result<T> result) {
  if (!result) return std::unexpected(std::move(result).error());
  return Profile(*std::move(result));
}

Result<Profile> read_profile(const fs::path& path, const InputOptions& options) {
  ASSAY_TRY(const trace::ProfileKind kind, trace::profile_kind(path));
  const trace::NsysOptions nsys{.raw_range_names = options.raw_range_names};
  switch (kind) {
    case trace::ProfileKind::nsys_sqlite:
      return as_profile(trace::read_nsys_sqlite(path, nsys));
    case trace::ProfileKind::nsys_report:
      return as_profile(trace::read_nsys_rep(path, nsys_tool(options.nsys), nsys));
    case trace::ProfileKind::nsys_stats:
      return as_profile(trace::read_nsys_stats(path));
    case trace::ProfileKind::kineto:
      return as_profile(trace::read_kineto(path));
    case trace::ProfileKind::ncu:
      break;
  }
  return as_profile(trace::read_ncu(path));
}

constexpr std::size_t kUsualWidth = 132;

/// Columns of the terminal that standard output is; the usual width where it is none.
std::size_t terminal_width() {
  constexpr std::size_t kNarrowest = 80;
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
    return kUsualWidth;
  }
  return size.ws_col == 0 ? kUsualWidth : std::max<std::size_t>(size.ws_col, kNarrowest);
}

// What a profile that recorded nothing lacks, as the end of "FILE ..."; empty where it has some.

std::string_view lacking(const trace::Trace& trace) {
  const bool work = std::ranges::any_of(trace.work(), [](const auto* w) { return !w->empty(); });
  if (work || !trace.calls.empty() || !trace.ranges.empty() || !trace.counters.empty()) return {};
  if (trace.diagnostics.count("begin_end_events_left_out") > 0) {
    return "holds its events in two halves (B and E), which the PyTorch profiler does not write";
  }
  if (trace.diagnostics.count("events_malformed") > 0) {
    return "holds no event with a start and a duration that can be read";
  }
  if (trace.diagnostics.count("events_of_unknown_category") > 0) {
    return "is a trace of another tool: none of its events is of a kind that the PyTorch profiler "
           "writes";
  }
  return "holds no events: nothing was recorded (was the capture range entered, and CUDA traced?)";
}

std::string_view lacking(const trace::StatsFile& stats) {
  const bool rows =
      std::ranges::any_of(stats.tables, [](const auto& t) { return !t.rows.empty(); });
  return rows ? "" : "holds a summary without rows: `nsys stats` found nothing of that kind";
}

std::string_view lacking(const trace::NcuReport& report) {
  return report.launches.empty() ? "holds no launches: none matched what ncu was told to profile"
                                 : "";
}

}  // namespace

trace::NsysTool nsys_tool(const std::optional<fs::path>& configured) {
  return {.nsys = configured ? configured : installed_nsys(), .run = &run_to_end};
}

Result<Profile> open_profile(const fs::path& path, const InputOptions& options) {
  auto profile = read_profile(path, options);
  if (!profile) {
    // Whatever a reader stumbles over, it is the file that must be replaced.
    const ErrorCode code = profile.error().code();
    if (code != ErrorCode::data_loss && code != ErrorCode::internal) return profile;
    std::string_view why = profile.error().message();
    const std::string name = path.string() + ": ";
    while (why.starts_with(name)) why.remove_prefix(name.size());
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is corrupt or cut short: {}", path.string(), why));
  }
  const std::string_view lacks = std::visit([](const auto& one) { return lacking(one); }, *profile);
  if (lacks.empty()) return profile;
  return fail(ErrorCode::invalid_argument, fmt::format("{} {}", path.string(), lacks));
}

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view text;
    double nanoseconds;
  };
  constexpr auto kUnits =
      std::to_array<Unit>({{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}});
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  for (const Unit& known : kUnits) {
    if (error != std::errc{} || known.text != unit) continue;
    const double nanoseconds = value * known.nanoseconds;
    if (!(nanoseconds > 0 && nanoseconds < 9e18)) break;
    return std::chrono::nanoseconds(std::llround(nanoseconds));
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' is no duration: write 77.6ms, 0.5s, 300us", text));
}

std::size_t usual_limit(std::string_view format) {
  constexpr std::size_t kForPeople = 20;
  constexpr std::size_t kForPages = 200;
  if (format == "html") return kForPages;
  return format == "table" || format == "markdown" ? kForPeople : 0;
}

Result<void> write_report(const trace::Report& report, const OutputOptions& options) {
  ASSAY_TRY(const trace::Format format, trace::parse_format(options.format));
  const std::string text =
      trace::render(report, format, {.width = options.file ? kUsualWidth : terminal_width()});
  if (format == trace::Format::csv) {
    fmt::print(stderr, "{}", trace::render_diagnostics(report.diagnostics));
  }
  if (options.file) return write_file_atomically(*options.file, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace assay::cli
