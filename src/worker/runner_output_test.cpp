#include "worker/runner_output.hpp"

#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace assay::worker {
namespace {

TEST(RunnerOutput, shows_the_end_of_what_was_written) {
  const RunnerOutput output = RunnerOutput::create().value();
  EXPECT_EQ(output.tail(), "");
  const std::string text = std::string(6000, 'a') + "the end";
  ASSERT_EQ(::write(output.fd(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(output.tail().size(), 4096U);
  EXPECT_TRUE(output.tail().ends_with("the end"));
}

TEST(RunnerOutput, refuses_to_grow) {
  const RunnerOutput output = RunnerOutput::create().value();
  const std::string chunk(1 << 16, 'x');
  ssize_t written = 0;
  for (int i = 0; i < 4; ++i) {
    const ssize_t count = ::write(output.fd(), chunk.data(), chunk.size());
    if (count < 0) break;
    written += count;
  }
  EXPECT_EQ(written, 1 << 16);
}

}  // namespace
}  // namespace assay::worker
