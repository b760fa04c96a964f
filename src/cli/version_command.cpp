#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/version.hpp"
#include "cli/commands.hpp"

namespace assay::cli {

void add_version(CLI::App& app) {
  auto* command = app.add_subcommand("version", "Print the version");
  command->footer("Example:\n  assay version");
  command->callback([] { fmt::print("assay {}\n", version()); });
}

}  // namespace assay::cli
