#include "process/exit_status.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace assay::process {
namespace {

TEST(ExitStatus, names_the_signal_and_what_it_means) {
  EXPECT_EQ(describe(Signalled{SIGSEGV}), "killed by SIGSEGV (segmentation fault)");
  EXPECT_EQ(describe(Signalled{SIGABRT}), "killed by SIGABRT (aborted)");
  EXPECT_EQ(describe(Signalled{1000}), "killed by signal 1000");
}

TEST(ExitStatus, names_the_exit_code_and_the_memory_limit) {
  EXPECT_EQ(describe(Exited{3}), "exited with code 3");
  EXPECT_EQ(describe(OverMemory{64U << 20U}), "killed for using more than 64 MiB of memory");
}

TEST(ExitStatus, is_read_from_a_wait_status) {
  EXPECT_EQ(from_wait_status(SIGKILL), ExitStatus(Signalled{SIGKILL}));
  EXPECT_EQ(from_wait_status(7 << 8), ExitStatus(Exited{7}));
}

}  // namespace
}  // namespace assay::process
