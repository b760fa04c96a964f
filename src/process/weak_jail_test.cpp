#include "process/weak_jail.hpp"

#include <gtest/gtest.h>

#include "process/jail_support.hpp"

namespace assay::process {
namespace {

TEST(WeakJail, what_was_given_up_by_name_is_not_asked_for) {
  JailSupport support;
  support.parts = {
      {.part = JailPart::seccomp, .available = false, .detail = {}, .cost = {}},
      {.part = JailPart::mount_namespace, .available = false, .detail = {}, .cost = {}},
      {.part = JailPart::pid_namespace, .available = true, .detail = {}, .cost = {}}};
  EXPECT_EQ(not_given_up(support, {}).size(), 2U);
  const auto left = not_given_up(support, {"seccomp", "pid_namespace"});
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].part, JailPart::mount_namespace);
}

TEST(WeakJail, every_part_has_something_that_mends_it) {
  for (const JailPart part : kJailParts) EXPECT_FALSE(mend_of(part).empty()) << to_string(part);
}

}  // namespace
}  // namespace assay::process
