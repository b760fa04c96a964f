#include "model/verdict.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Verdict, names_follow_the_alternatives) {
  EXPECT_EQ(name_of(Accepted{}), "accepted");
  EXPECT_EQ(name_of(DidNotCompile{}), "did_not_compile");
  EXPECT_EQ(name_of(ReferenceFailed{}), "reference_failed");
  EXPECT_EQ(name_of(Unsupported{}), "unsupported");
}

TEST(Verdict, reason_of_a_wrong_answer_names_the_first_wrong_element) {
  const Verdict verdict =
      WrongAnswer{.reason = "2 of 4 elements differ",
                  .first = Mismatch{.output = "out", .index = {1, 0}, .got = "3", .want = "4"}};
  EXPECT_EQ(reason_of(verdict), "2 of 4 elements differ: first out[1, 0] is 3, should be 4");
}

TEST(Verdict, reason_of_a_time_out_has_the_limit_and_the_phase) {
  EXPECT_EQ(reason_of(TimedOut{.limit = std::chrono::seconds(5), .phase = "checking"}),
            "Job timed out after 5 seconds while checking");
}

TEST(Verdict, failing_reference_keeps_its_own_verdict_and_reason) {
  const Verdict verdict = as_reference_failure(Crashed{.reason = "killed by SIGSEGV"});
  const auto& failed = std::get<ReferenceFailed>(verdict);
  EXPECT_EQ(failed.verdict, "crashed");
  EXPECT_EQ(failed.reason, "killed by SIGSEGV");
}

TEST(Verdict, what_a_crash_printed_is_left_out_where_it_says_the_same_again) {
  EXPECT_EQ(reason_of(Crashed{.reason = "ValueError: boom",
                              .output = "Traceback (most recent call last):\n  File \"kernel.py\", "
                                        "line 12, in forward\nValueError: boom\n"}),
            "ValueError: boom (line 12)");
  EXPECT_EQ(reason_of(Crashed{.reason = "assertion `i < n` failed; thread 3 of block 0, line 4",
                              .output = "kernel.cu:4: f: block: [0,0,0], thread: [3,0,0] "
                                        "Assertion `i < n` failed.\n"}),
            "assertion `i < n` failed; thread 3 of block 0, line 4");
  EXPECT_EQ(
      reason_of(Crashed{.reason = "ValueError: boom",
                        .output = "so far\nTraceback (most recent call last):\n  File "
                                  "\"kernel.py\", line 4, in forward\n  File \"torch/nn.py\", "
                                  "line 99, in f\nValueError: boom\n"}),
      "ValueError: boom (line 4); it printed: so far");
  EXPECT_EQ(reason_of(Crashed{.reason = "killed by SIGSEGV", .output = "so far"}),
            "killed by SIGSEGV; it printed: so far");
}

TEST(Verdict, accepted_has_no_reason) {
  EXPECT_TRUE(reason_of(Accepted{}).empty());
}

}  // namespace
}  // namespace assay
