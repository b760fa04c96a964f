#include "process/seccomp_filter.hpp"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>
#include <linux/filter.h>

#include "process/jail_profile.hpp"

namespace assay::process {
namespace {

TEST(SeccompFilter, is_a_program_the_kernel_accepts_in_size) {
  for (const SyscallPolicy policy :
       {SyscallPolicy::compiler, SyscallPolicy::runner, SyscallPolicy::zygote,
        SyscallPolicy::gpu_runner, SyscallPolicy::gpu_zygote, SyscallPolicy::gpu_profiler}) {
    const std::string program = seccomp_program(policy).value();
    EXPECT_EQ(program.size() % sizeof(sock_filter), 0U);
    EXPECT_LE(program.size() / sizeof(sock_filter), std::size_t{BPF_MAXINSNS});
  }
}

TEST(SeccompFilter, of_compilers_differs_from_that_of_runners) {
  EXPECT_NE(seccomp_program(SyscallPolicy::compiler).value(),
            seccomp_program(SyscallPolicy::runner).value());
}

TEST(SeccompFilter, of_zygotes_is_shorter_than_that_of_runners) {
  EXPECT_LT(seccomp_program(SyscallPolicy::zygote).value().size(),
            seccomp_program(SyscallPolicy::runner).value().size());
}

}  // namespace
}  // namespace assay::process
