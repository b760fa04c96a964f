#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/nearest.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/suggestion.hpp"
#include "cli/usage_error.hpp"

namespace assay::cli {
namespace {

int wrong(std::string_view message) {
  fmt::print(stderr, "assay: {}\n", message);
  return kUsage;
}

int unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    names.push_back(command->get_name());
  }
  const auto meant = nearest(word, names);
  return wrong(fmt::format("there is no command '{}'{} (assay --help lists all)", word,
                           meant ? fmt::format(": did you mean {}?", *meant) : ""));
}

void add_commands(CLI::App& app) {
  add_serve(app);
  add_evaluate(app);
  add_compare(app);
  add_watch(app);
  add_init(app);
  add_profile_kernel(app);
  add_jobs(app);
  add_analyze(app);
  add_diff(app);
  add_profile(app);
  add_runs(app);
  add_metrics(app);
  add_token(app);
  add_fsck(app);
  add_doctor(app);
  add_setup(app);
  add_completions(app);
  add_version(app);
  add_worker(app);
  add_hold_clocks(app);
  add_judge_check(app);
}

/// An option takes one word, for what follows may be a file: `--sanitize memory a.cu b.cu`. Several
/// are separated by commas, or the option is repeated.
void take_one_word_each(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) option->allow_extra_args(false);
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    take_one_word_each(*command);
  }
}

/// `assay help COMMAND` is what people type for `assay COMMAND --help`.
std::vector<const char*> with_help_behind(int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app(
      "Judges GPU kernels: compiles them, proves them right or wrong, times them honestly.",
      "assay");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("assay {}", version()), "Print the version");
  app.footer(
      "`assay COMMAND --help` explains a command. Exit codes: 0 done or accepted, 1 another "
      "verdict,\n2 wrong usage or input, 3 failure of Assay or its server.");
  add_commands(app);
  take_one_word_each(app);
  const std::vector<const char*> words = with_help_behind(argc, argv);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::RuntimeError& end) {
    return end.get_exit_code();
  } catch (const CLI::ParseError& error) {
    if (words.size() > 1 && words[1][0] != '-' && app.get_subcommands().empty()) {
      return unknown_command(app, words[1]);
    }
    if (error.get_exit_code() == 0) return app.exit(error);  // help, or the version
    // First of all: what follows an option that is misspelt is taken for something else.
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (has_unknown_option(app) || is_extra) {
      return wrong(unknown_arguments(app));
    }
    if (error.get_name() == "RequiredError" && needs_command(app)) {
      return wrong(app.remaining(true).empty() ? missing_command(app) : unknown_arguments(app));
    }
    const std::string path = command_path(app);
    return wrong(fmt::format("{}; see assay {}--help",
                             in_plain_words(error.what(), chosen_command(app)),
                             path.empty() ? "" : path + " "));
  }
  return kSuccess;
}

}  // namespace assay::cli
