#include "metrics/sanitizer_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/request.hpp"

namespace assay::metrics {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(SanitizerTools, are_those_that_the_words_mean) {
  EXPECT_THAT(sanitizer_tools({.memory = true, .race = true, .init = true, .sync = true}),
              ElementsAre("memcheck", "initcheck", "synccheck", "racecheck"));
  EXPECT_THAT(sanitizer_tools({.race = true}), ElementsAre("racecheck"));
  EXPECT_TRUE(sanitizer_tools({}).empty());
}

TEST(SanitizerCommand, names_tool_and_log) {
  const auto argv = sanitizer_command(
      {.program = "/usr/bin/compute-sanitizer", .tool = "memcheck", .log_file = "/tmp/x y"});
  EXPECT_EQ(argv.front(), "/usr/bin/compute-sanitizer");
  EXPECT_THAT(argv, Contains("memcheck"));
  EXPECT_THAT(argv, Contains("/tmp/x y"));
  EXPECT_THAT(argv, Not(Contains("--racecheck-report")));
}

TEST(SanitizerCommand, asks_for_both_threads_of_a_race) {
  EXPECT_THAT(sanitizer_command({.program = "c", .tool = "racecheck", .log_file = "l"}),
              Contains("hazard"));
}

}  // namespace
}  // namespace assay::metrics
