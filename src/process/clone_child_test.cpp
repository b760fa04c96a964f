#include "process/clone_child.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"

namespace assay::process {
namespace {

ASSAY_IN_CHILD int store_and_exit(void* argument) {
  *static_cast<int*>(argument) = 42;
  return 7;
}

TEST(CloneChild, runs_its_entry_and_ends_with_its_result) {
  int stored = 0;
  const auto child = clone_child({.entry = store_and_exit, .argument = &stored}).value();
  EXPECT_GE(child.pidfd.get(), 0);
  EXPECT_EQ(WEXITSTATUS(reap(child.pid)), 7);
#if defined(__x86_64__)
  EXPECT_EQ(stored, 42);
#endif
}

TEST(CloneChild, leaves_the_signal_mask_as_it_was) {
  sigset_t before;
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  int stored = 0;
  const auto child = clone_child({.entry = store_and_exit, .argument = &stored}).value();
  (void)reap(child.pid);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGTERM, SIGCHLD, SIGINT}) {
    EXPECT_EQ(::sigismember(&before, signal), ::sigismember(&after, signal));
  }
}

TEST(CloneChild, says_what_the_kernel_refused) {
  // A user namespace and a shared file system root exclude each other.
  const auto child = clone_child({.flags = CLONE_NEWUSER | CLONE_FS, .entry = store_and_exit});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(child.error().message(), "start a child process: Invalid argument");
}

}  // namespace
}  // namespace assay::process
