#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/profile_diff.hpp"
#include "cli/profile_input.hpp"
#include "profile/manifest.hpp"
#include "profile/run_manager.hpp"
#include "profile/run_store.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

struct RunsCommand {
  std::filesystem::path root = "assay-runs";
  std::string id;
  std::string other;
  ProfileDiff diff;
  bool unpin = false;
  std::optional<std::size_t> keep_last;
  std::optional<std::int64_t> days;
  std::optional<std::uint64_t> megabytes;
  OutputOptions output;

  [[nodiscard]] profile::RunStore store() const { return profile::RunStore(root); }
};

Result<int> done(Result<void> result) {
  if (!result) return std::unexpected(std::move(result).error());
  return kSuccess;
}

Result<int> list(const RunsCommand& options) {
  ASSAY_TRY(const auto runs, options.store().list());
  trace::Table table{.name = "runs",
                     .title = "Runs, the newest first",
                     .columns = {{"id", "Run"},
                                 {"exit_code", "Exit code"},
                                 {"size_bytes", "Size", trace::ColumnType::bytes},
                                 {"pinned", "Pinned"},
                                 {"command", "Command"}}};
  for (const profile::RunRecord& run : runs) {
    table.add_row({run.id,
                   run.running             ? "running"
                   : run.exit_code.empty() ? "not ended"
                                           : run.exit_code,
                   run.bytes, run.pinned ? "yes" : "", run.command});
  }
  return done(write_report({.title = options.root.string(), .tables = {table}}, options.output));
}

Result<int> show(const RunsCommand& options) {
  ASSAY_TRY(const auto run, options.store().find(options.id));
  ASSAY_TRY(const std::string manifest, read_file(run.folder / profile::kManifest));
  fmt::print("{}", manifest);
  return kSuccess;
}

/// What `assay diff` does, on the timelines of two runs.
Result<int> diff(const RunsCommand& options) {
  const auto timeline = [&](const std::string& id) -> Result<std::filesystem::path> {
    ASSAY_TRY(const auto run, options.store().find(id));
    if (const auto found = profile::timeline_in(run.folder)) return *found;
    return fail(ErrorCode::not_found, fmt::format("run {} has no timeline to compare", run.id));
  };
  ProfileDiff both = options.diff;
  ASSAY_TRY(both.before, timeline(options.id));
  ASSAY_TRY(both.after, timeline(options.other));
  return compare_profiles(std::move(both));
}

Result<int> prune(const RunsCommand& options) {
  profile::PruneRule rule{.keep_last = options.keep_last};
  if (options.days) rule.older_than = std::chrono::days(*options.days);
  if (options.megabytes) rule.keep_bytes = *options.megabytes * 1'000'000;
  if (!rule.keep_last && !rule.older_than && !rule.keep_bytes) {
    return fail(ErrorCode::invalid_argument,
                "say what to keep: --keep-last N, --days N or --megabytes N");
  }
  const SystemClock clock;
  ASSAY_TRY(const auto removed, options.store().prune(rule, clock));
  for (const std::string& id : removed) fmt::print("removed {}\n", id);
  return kSuccess;
}

using Run = Result<int> (*)(const RunsCommand&);

CLI::App* add_action(CLI::App& runs, const std::shared_ptr<RunsCommand>& options, const char* name,
                     const char* help, const char* example, Run run) {
  auto* action = runs.add_subcommand(name, help);
  action->footer(fmt::format("Example:\n  assay runs {}", example));
  action->fallthrough();  // --runs may stand after it too
  action->callback([options, run] {
    const auto code = run(*options);
    throw CLI::RuntimeError(code ? *code : report(code.error()));
  });
  return action;
}

}  // namespace

void add_runs(CLI::App& app) {
  auto* runs = app.add_subcommand("runs", "Runs that `assay profile` kept");
  auto options = std::make_shared<RunsCommand>();  // shared with the callbacks
  runs->require_subcommand(1);
  runs->footer("Examples:\n  assay runs list\n  assay runs show last");
  runs->add_option("--runs", options->root, "The folder they are in")
      ->envname("ASSAY_RUNS")
      ->capture_default_str();
  add_action(*runs, options, "list", "List all runs, the newest first", "list", &list)
      ->add_option("--format", options->output.format, "table, json, csv, markdown or html")
      ->capture_default_str();
  const char* which = "The run: its id, a beginning of it, or last";
  add_action(*runs, options, "show", "Show what a run was", "show last", &show)
      ->add_option("id", options->id, which)
      ->required();
  auto* compare = add_action(*runs, options, "diff", "Compare the timelines of two runs",
                             "diff 2026 last", &diff);
  compare->add_option("before", options->id, which)->required();
  compare->add_option("after", options->other, which)->required();
  const std::string example = compare->get_footer();
  add_diff_options(*compare, options->diff);
  compare->footer(example + "\n" + compare->get_footer());
  auto* pin = add_action(*runs, options, "pin", "Keep a run from being removed", "pin last",
                         [](const RunsCommand& o) { return done(o.store().pin(o.id, !o.unpin)); });
  pin->add_option("id", options->id, which)->required();
  pin->add_flag("--undo", options->unpin, "Unpin it");
  auto* cut = add_action(*runs, options, "prune", "Remove runs, never pinned ones",
                         "prune --keep-last 20", &prune);
  cut->add_option("--keep-last", options->keep_last, "Remove all but this many of the newest")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1'000'000'000}));
  constexpr std::uint64_t kMostMegabytes = 1'000'000'000'000;
  constexpr std::int64_t kMostDays = 36'500;  // more would not fit into nanoseconds
  cut->add_option("--days", options->days, "Remove runs older than this many days")
      ->check(CLI::Range(std::int64_t{0}, kMostDays));
  cut->add_option("--megabytes", options->megabytes,
                  "Remove the oldest until the rest takes no more than this many megabytes. The "
                  "newest stays, however large it is")
      ->check(CLI::Range(std::uint64_t{0}, kMostMegabytes));
}

}  // namespace assay::cli
