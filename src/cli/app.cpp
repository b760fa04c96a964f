#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/commands.hpp"

namespace assay::cli {

int run(int argc, char** argv) {
  CLI::App app(
      "Judges GPU kernels: compiles them, proves them right or wrong, times them honestly.",
      "assay");
  app.require_subcommand(1);
  app.footer(
      "`assay COMMAND --help` explains a command. Exit codes: 0 done or accepted, 1 another "
      "verdict,\n2 wrong usage or input, 3 failure of Assay or its server.");
  add_serve(app);
  add_evaluate(app);
  add_compare(app);
  add_jobs(app);
  add_analyze(app);
  add_diff(app);
  add_profile(app);
  add_runs(app);
  add_doctor(app);
  add_version(app);
  add_worker(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& end) {
    return end.get_exit_code();
  } catch (const CLI::RequiredError& error) {
    const bool unknown = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    if (!unknown) return app.exit(error) == 0 ? kSuccess : kUsage;
    fmt::print(stderr, "assay: there is no command '{}'; see assay --help\n", argv[1]);
    return kUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  return kSuccess;
}

}  // namespace assay::cli
