#include "base/file_limit.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace assay {
namespace {

TEST(FileLimit, is_raised_as_far_as_it_may_be) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 512);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_file_limit(), std::min<rlim_t>(before.rlim_max, 65536));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace assay
