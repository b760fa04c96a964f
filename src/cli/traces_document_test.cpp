// docs/traces.md shows what commands print. Here each is run and compared with what is shown; with
// ASSAY_UPDATE_DOCS set, what is shown is written anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/os.hpp"
#include "base/testkit/checkout.hpp"
#include "cli/commands.hpp"
#include "cli/trace_commands_testkit.hpp"
#include "trace/analysis/ask.hpp"

namespace assay::cli {
namespace {

const std::filesystem::path kDocument = testkit::source_dir() / "docs" / "traces.md";
constexpr std::string_view kOpen = "```console\n$ assay ";
constexpr std::string_view kClose = "```\n";

/// A command's words: blanks part them, except inside quotes.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (const char c : line) {
    if (quote == '\0' && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else {
      words.back() += c;
    }
  }
  return words;
}

TEST(TracesDocument, shows_what_the_commands_print) {
  const std::string document = read_file(kDocument).value();
  const DemoFolder folder;
  std::string renewed;
  std::string_view rest = document;
  std::size_t commands = 0;
  while (true) {
    const std::size_t at = rest.find(kOpen);
    if (at == std::string_view::npos) break;
    renewed += rest.substr(0, at + kOpen.size());
    rest.remove_prefix(at + kOpen.size());
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t end = rest.find(kClose);
    ASSERT_NE(end, std::string_view::npos) << line;
    const std::string_view shown = rest.substr(line.size() + 1, end - line.size() - 1);
    const CommandRun run = run_command(words_of(line));
    EXPECT_NE(run.code, kUsage) << line << run.errors;
    if (std::getenv("ASSAY_UPDATE_DOCS") == nullptr) {
      EXPECT_EQ(run.output, shown) << line;
    }
    renewed += std::string(line) + "\n" + run.output;
    rest.remove_prefix(end);
    ++commands;
  }
  EXPECT_GE(commands, trace::questions().size());
  if (std::getenv("ASSAY_UPDATE_DOCS") != nullptr) {
    std::ofstream(kDocument) << renewed << rest;
  }
}

TEST(TracesDocument, has_an_example_of_every_question) {
  const std::string document = read_file(kDocument).value();
  for (const trace::QuestionName& question : trace::questions()) {
    EXPECT_NE(document.find("--ask " + std::string(question.name)), std::string::npos)
        << question.name;
  }
}

}  // namespace
}  // namespace assay::cli
