#include "cli/progress.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "cli/terminal.hpp"

namespace assay::cli {
namespace {

using std::chrono::seconds;

TEST(ProgressText, has_the_phase_the_seconds_and_what_it_waits_for) {
  EXPECT_EQ(progress_text("building", "", seconds(0)), "building");
  EXPECT_EQ(progress_text("building", "compiling CUDA headers", seconds(12)),
            "building 12 s: compiling CUDA headers");
}

TEST(ProgressText, is_cut_to_one_row_of_a_terminal) {
  EXPECT_EQ(fitted("building", 8), "building");
  EXPECT_EQ(fitted("building …", 10), "building …");
  EXPECT_EQ(fitted("building 12 s", 8), "buildin…");
  EXPECT_EQ(fitted("µµµµ", 3), "µµ…");
}

TEST(ProgressLine, writes_a_line_for_each_change_where_nobody_watches) {
  const ManualClock clock;
  testing::internal::CaptureStderr();
  {
    ProgressLine line(true, false, clock);
    line.show("building", "");
    line.show("checking", "cpu");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "building\nchecking: cpu\n");
}

TEST(ProgressLine, of_a_job_that_ended_it_says_the_verdict_alone) {
  const ManualClock clock;
  testing::internal::CaptureStderr();
  {
    ProgressLine line(true, false, clock);
    line.show("done", "crashed: ValueError: boom; it printed: much");
    line.show("failed", "the worker died");
    line.show("done", "accepted");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "done: crashed\nfailed\ndone: accepted\n");
}

TEST(ProgressLine, detail_of_others_stays_on_its_line) {
  const ManualClock clock;
  testing::internal::CaptureStderr();
  {
    ProgressLine line(true, false, clock);
    line.show("building", "asked for a\nb\x1b[1A");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "building: asked for a b?[1A\n");
}

TEST(ProgressLine, says_what_takes_long_again_where_nobody_watches) {
  ManualClock clock;
  testing::internal::CaptureStderr();
  {
    ProgressLine line(true, false, clock);
    line.show("building", "compiling CUDA headers");
    clock.advance(seconds(9));
    line.remind();
    clock.advance(seconds(1));
    line.remind();
    line.remind();
    line.clear();
    clock.advance(seconds(20));
    line.remind();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "building: compiling CUDA headers\nbuilding 10 s: compiling CUDA headers\n");
}

TEST(ProgressLine, rewrites_one_line_on_a_terminal_and_takes_it_away) {
  const ManualClock clock;
  testing::internal::CaptureStderr();
  {
    ProgressLine line(true, true, clock);
    line.show("building", "");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(text.starts_with("\r\033[Kbuilding …")) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

TEST(ProgressLine, is_silent_when_told_so) {
  const ManualClock clock;
  testing::internal::CaptureStderr();
  ProgressLine(false, true, clock).show("building", "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Painter, colours_only_where_they_are_wanted) {
  EXPECT_EQ(Painter(false)(Colour::good, "accepted"), "accepted");
  EXPECT_EQ(Painter(true)(Colour::good, "accepted"), "\033[32maccepted\033[0m");
  EXPECT_EQ(colour_of("accepted"), Colour::good);
  EXPECT_EQ(colour_of("wrong_answer"), Colour::bad);
  EXPECT_EQ(colour_of("building"), Colour::quiet);
}

}  // namespace
}  // namespace assay::cli
