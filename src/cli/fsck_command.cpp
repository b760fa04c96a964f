#include <chrono>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/default_data_dir.hpp"
#include "store/data_check.hpp"
#include "store/data_dir.hpp"

namespace assay::cli {
namespace {

struct FsckOptions {
  std::filesystem::path data_dir;
  bool mend = false;
};

int check(const FsckOptions& options) {
  const SystemClock clock;
  if (!std::filesystem::exists(options.data_dir / "jobs.db")) {
    return report(Error(
        ErrorCode::not_found,
        fmt::format("{} holds no jobs.db, so it is no data directory of Assay: name another with "
                    "--data-dir",
                    options.data_dir.string())));
  }
  const auto dir = store::DataDir::open(options.data_dir, std::chrono::milliseconds(0));
  if (!dir) return report(dir.error());
  const auto checked = store::check_data(*dir, clock, options.mend);
  if (!checked) return report(checked.error());
  for (const store::DataFinding& finding : checked->findings) {
    fmt::print("{:<7} {}\n", finding.mended ? "mended" : "WRONG", finding.what);
  }
  const bool could_mend = !options.mend && !checked->is_sound();
  fmt::print("{} jobs, {} findings{}\n", checked->jobs, checked->findings.size(),
             could_mend ? "; --mend repairs what it can" : "");
  return checked->is_sound() ? kSuccess : kRejected;
}

}  // namespace

void add_fsck(CLI::App& app) {
  auto* command = app.add_subcommand(
      "fsck", "Check the data directory of a server, and repair what can be repaired");
  auto options = std::make_shared<FsckOptions>();  // shared with the callback
  options->data_dir = default_data_dir();
  command
      ->add_option("--data-dir", options->data_dir, "The data directory; its server must not run")
      ->envname("ASSAY_DATA_DIR")
      ->capture_default_str();
  command->add_flag("--mend", options->mend,
                    "Repair: remove what belongs to no job, and end jobs that lost a part");
  command->footer(
      "Examples:\n  assay fsck\n  assay fsck --data-dir /var/lib/assay --mend\n"
      "Exit code 1: something is still wrong.");
  command->callback([options] { throw CLI::RuntimeError(check(*options)); });
}

}  // namespace assay::cli
