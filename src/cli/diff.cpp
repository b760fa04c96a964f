#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/profile_diff.hpp"

namespace assay::cli {

void add_diff(CLI::App& app) {
  auto* command =
      app.add_subcommand("diff", "Compare two profiles, and fail if the second is worse");
  auto options = std::make_shared<ProfileDiff>();  // shared with the callback
  command->add_option("before", options->before, "Profile A")->required();
  command->add_option("after", options->after, "Profile B")->required();
  add_diff_options(*command, *options);
  command->footer("Example:\n  assay diff before.nsys-rep after.nsys-rep\n" +
                  command->get_footer());
  command->callback([options] {
    const auto code = compare_profiles(*options);
    throw CLI::RuntimeError(code ? *code : report(code.error()));
  });
}

}  // namespace assay::cli
