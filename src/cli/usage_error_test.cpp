#include "cli/usage_error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

std::string told(std::vector<std::string> words) {
  CLI::App app;
  int timeout = 0;
  double rtol = 0;
  std::uint16_t port = 0;
  std::size_t body = 0;
  CLI::App* command = app.add_subcommand("serve");
  command->add_option("--timeout", timeout);
  command->add_option("--rtol", rtol);
  command->add_option("--threshold", rtol)->check(CLI::Range(0.001, 0.5));
  command->add_option("--port", port)->check(CLI::Range(0, 65535));
  command->add_option("--body", body)->transform(CLI::AsSizeValue(false));
  words.emplace_back("serve");  // CLI11 takes them in reverse
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return in_plain_words(error.what(), *command);
  }
  return "taken";
}

TEST(UsageError, says_what_is_wanted_and_what_was_given) {
  EXPECT_EQ(told({"abc", "--timeout"}), "--timeout wants a whole number, not 'abc'");
  EXPECT_EQ(told({"x", "--rtol"}), "--rtol wants a number, not 'x'");
  EXPECT_EQ(told({"99999999", "--port"}),
            "--port wants a whole number from 0 to 65535, not '99999999'");
  EXPECT_EQ(told({"5", "--threshold"}), "--threshold wants a number from 0.001 to 0.5, not '5'");
  EXPECT_EQ(told({"abc", "--body"}), "--body wants a size such as 512mb or 2gb, not 'abc'");
}

TEST(UsageError, names_the_file_or_the_value_that_lacks) {
  const CLI::App command;
  EXPECT_EQ(in_plain_words("FILES: File does not exist: a.cu", command), "there is no file 'a.cu'");
  EXPECT_EQ(in_plain_words("--io: File is actually a directory: .", command),
            "'.' is a directory, not a file");
  EXPECT_EQ(in_plain_words("FILES: At Most 2 required but received 3", command),
            "FILES: 2 at most, not 3");
  EXPECT_EQ(told({"--rtol"}), "--rtol wants a value");
}

TEST(UsageError, lists_the_words_that_may_stand_there) {
  const CLI::App command;
  EXPECT_EQ(in_plain_words("SHELL: powershell not in {bash,zsh,fish}", command),
            "SHELL: there is no 'powershell'. Known: bash, zsh, fish");
  EXPECT_EQ(in_plain_words("--engine: tarcer not in {auto,tracer}", command),
            "--engine: there is no 'tarcer': did you mean tracer? Known: auto, tracer");
}

TEST(UsageError, leaves_other_messages_alone) {
  const CLI::App command;
  EXPECT_EQ(in_plain_words("--name is required", command), "--name is required");
  EXPECT_EQ(in_plain_words("--name: no", command), "--name: no");
}

TEST(CommandPath, has_every_word_that_leads_to_the_command) {
  CLI::App app;
  app.add_subcommand("token")->add_subcommand("create");
  EXPECT_EQ(command_path(app), "");
  app.parse(std::vector<std::string>{"create", "token"});
  EXPECT_EQ(command_path(app), "token create");
}

}  // namespace
}  // namespace assay::cli
