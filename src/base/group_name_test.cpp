#include "base/group_name.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(GroupName, is_read_as_it_was_written) {
  const GroupName name{.pid = 17, .started = 99, .random = "abcdef01"};
  EXPECT_EQ(name.text(), "assay-17-99-abcdef01");
  const auto read = GroupName::parse(name.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->pid, 17U);
  EXPECT_EQ(read->started, 99U);
  EXPECT_EQ(read->random, "abcdef01");
}

TEST(GroupName, is_not_every_name_that_begins_alike) {
  for (const char* other : {"", "assay-", "assay-notes", "assay-gpu-node-1.service",
                            "assay-1-2-node0001", "assay-1-2-abcdef01.service", "assay-1-2-abcdef0",
                            "assay--2-abcdef01", "assay-1-2-", "other-1-2-abcdef01"}) {
    EXPECT_FALSE(GroupName::parse(other)) << other;
  }
}

}  // namespace
}  // namespace assay
