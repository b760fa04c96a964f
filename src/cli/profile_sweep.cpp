#include "cli/profile_sweep.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/profile_input.hpp"
#include "cli/say.hpp"
#include "profile/manifest.hpp"
#include "profile/run_store.hpp"
#include "profile/sweep.hpp"
#include "profile/sweep_plot.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/iterations.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/events/events.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// What is known of one point, once it ran.
struct Outcome {
  std::string run;
  std::string exit_code;  // empty: it never ended
  std::optional<double> took_ns;
  std::optional<double> iteration_ns;  // median, on the host, without warm-up
  std::optional<double> kernel_ns;     // of one iteration, or of all where there is none
  std::optional<double> busy_ns;
  std::optional<std::int64_t> kernels;

  [[nodiscard]] bool done() const { return exit_code == "0"; }
};

void read_timeline(const fs::path& path, Outcome& out) {
  const auto profile = open_profile(path, {});
  const auto* events = profile ? std::get_if<trace::Trace>(&*profile) : nullptr;
  if (events == nullptr) return;
  const trace::OpClassifier classifier;
  trace::Analysis analysis(*events, classifier);
  double kernel_time = 0;
  double busy = 0;
  std::int64_t kernels = 0;
  double runs = 0;
  if (const auto found = trace::find_iterations(*events, analysis.attribution())) {
    for (const trace::Iteration& one : found->list) {
      if (one.warm_up) continue;
      kernel_time += static_cast<double>(one.kernel_time);
      busy += static_cast<double>(one.gpu_busy);
      kernels += static_cast<std::int64_t>(one.kernels);
      ++runs;
    }
    out.iteration_ns = found->duration.median;
  }
  if (runs == 0) {
    runs = 1;
    for (const trace::DeviceBusy& device : trace::device_busy(*events)) {
      kernel_time += static_cast<double>(device.kernel_sum);
      busy += static_cast<double>(device.busy);
      kernels += static_cast<std::int64_t>(device.kernels);
    }
  }
  out.kernel_ns = kernel_time / runs;
  out.busy_ns = busy / runs;
  out.kernels = static_cast<std::int64_t>(static_cast<double>(kernels) / runs);
}

/// The newest run of a point; none where there was none.
std::optional<Outcome> outcome_of(const fs::path& root, bool with_timeline) {
  const auto run = profile::RunStore(root).find("last");
  if (!run) return std::nullopt;
  Outcome out{.run = run->folder.string(), .exit_code = run->exit_code};
  const std::string manifest = read_file(run->folder / profile::kManifest).value_or("");
  const std::string took = profile::manifest_text(manifest, "took_ns");
  if (!took.empty()) out.took_ns = std::strtod(took.c_str(), nullptr);
  std::error_code error;
  const fs::path timeline = run->folder / "timeline.sqlite";
  if (with_timeline && fs::exists(timeline, error)) read_timeline(timeline, out);
  return out;
}

trace::Table table_of(const std::vector<profile::SweepAxis>& axes) {
  using trace::ColumnType;
  trace::Table table{.name = "sweep", .title = "The sweep"};
  for (const profile::SweepAxis& axis : axes) table.columns.emplace_back(axis.name, axis.name);
  for (const trace::Column& column :
       std::vector<trace::Column>{{"state", "State"},
                                  {"took_ns", "Whole run", ColumnType::duration},
                                  {"iteration_ns", "Iteration", ColumnType::duration},
                                  {"kernel_ns", "Kernel time", ColumnType::duration},
                                  {"busy_ns", "GPU busy", ColumnType::duration},
                                  {"kernels", "Kernels", ColumnType::integer},
                                  {"run", "Run"}}) {
    table.columns.push_back(column);
  }
  table.notes.emplace_back(
      "Kernel time, GPU busy and kernels are of one iteration where the program has ranges that "
      "repeat, else of the whole run.");
  return table;
}

std::vector<trace::Cell> row_of(const profile::SweepPoint& point, const Outcome& one) {
  std::vector<trace::Cell> row;
  for (const auto& [name, value] : point.values) row.emplace_back(value);
  const std::string state = one.done()              ? "done"
                            : one.exit_code.empty() ? "did not run"
                                                    : "failed, exit code " + one.exit_code;
  row.insert(row.end(), {state, one.took_ns, one.iteration_ns, one.kernel_ns, one.busy_ns,
                         one.kernels, one.run});
  return row;
}

Result<void> write_results(const fs::path& folder, const trace::Table& table,
                           const std::vector<profile::SweepPoint>& points,
                           const std::vector<std::optional<Outcome>>& outcomes) {
  const trace::Report report{.title = folder.string(), .tables = {table}};
  std::vector<std::string> labels;
  std::vector<profile::SweepLine> lines = {
      {"iteration", {}}, {"kernel time", {}}, {"GPU busy", {}}};
  constexpr double kMillion = 1e6;
  for (std::size_t i = 0; i < points.size(); ++i) {
    labels.push_back(points[i].label);
    const Outcome none;
    const Outcome& one = outcomes[i] && outcomes[i]->done() ? *outcomes[i] : none;
    const auto add = [&](profile::SweepLine& line, const std::optional<double>& value) {
      line.values.push_back(value ? std::optional(*value / kMillion) : std::nullopt);
    };
    add(lines[0], one.iteration_ns);
    add(lines[1], one.kernel_ns);
    add(lines[2], one.busy_ns);
  }
  for (const auto& [name, text] :
       {std::pair{"sweep.json", trace::render(report, trace::Format::json)},
        std::pair{"sweep.csv", trace::render(report, trace::Format::csv)},
        std::pair{"sweep.svg", profile::sweep_plot(labels, lines, "milliseconds")}}) {
    if (auto done = write_file_atomically(folder / name, text); !done) return done;
  }
  say(stdout, "{}", trace::render(report, trace::Format::table));
  return {};
}

}  // namespace

Result<int> run_sweep(const std::vector<std::string>& texts,
                      const std::vector<std::string>& command, const fs::path& root,
                      const ProfileOne& profile) {
  std::vector<profile::SweepAxis> axes;
  for (const std::string& text : texts) {
    ASSAY_TRY(profile::SweepAxis axis, profile::parse_axis(text));
    axes.push_back(std::move(axis));
  }
  ASSAY_TRY(const auto points, profile::expand_sweep(axes, command));
  const fs::path folder = profile::sweep_folder(root, axes, command);
  trace::Table table = table_of(axes);
  std::vector<std::optional<Outcome>> outcomes;
  bool all = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const fs::path place = folder / points[i].label;
    const auto before = outcome_of(place, false);
    if (before && before->done()) {
      say(stderr, "assay: {} of {}: {} was done before\n", i + 1, points.size(), points[i].label);
    } else {
      say(stderr, "assay: {} of {}: {}\n", i + 1, points.size(), points[i].label);
      const auto code = profile(points[i].command, place);
      if (!code && code.error().code() == ErrorCode::cancelled) {
        return std::unexpected(code.error());
      }
      if (!code) say(stderr, "assay: {}\n", code.error().message());
    }
    auto& outcome = outcomes.emplace_back(outcome_of(place, true));
    all = all && outcome && outcome->done();
    table.add_row(row_of(points[i], outcome.value_or(Outcome())));
  }
  if (auto done = write_results(folder, table, points, outcomes); !done) {
    return std::unexpected(std::move(done).error());
  }
  say(stderr, "assay: the sweep is in {}\n", folder.string());
  return all ? kSuccess : kRejected;
}

}  // namespace assay::cli
