#include "process/jail_support.hpp"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "process/cgroup_tree.hpp"
#include "process/jail_probe.hpp"
#include "process/testkit/jail_fixture.hpp"

namespace assay::process {
namespace {

TEST(JailSupport, speaks_of_every_part_once_and_gives_reasons_for_the_missing) {
  const JailSupport& support = testkit::full_support();
  std::set<std::string_view> names;
  for (const JailPartStatus& status : support.parts) {
    names.insert(to_string(status.part));
    EXPECT_EQ(status.cost.empty(), status.available) << to_string(status.part);
    EXPECT_TRUE(status.available || !status.detail.empty()) << to_string(status.part);
    RecordProperty(std::string(to_string(status.part)), status.available ? "yes" : status.detail);
  }
  EXPECT_EQ(names.size(), 10U);
  EXPECT_EQ(support.complete(), support.missing().empty());
}

TEST(JailSupport, lists_what_is_missing) {
  const JailSupport poorer = testkit::support_without({JailPart::seccomp});
  EXPECT_FALSE(poorer.has(JailPart::seccomp));
  EXPECT_FALSE(poorer.complete());
  bool listed = false;
  for (const auto& status : poorer.missing()) listed |= status.part == JailPart::seccomp;
  EXPECT_TRUE(listed);
}

TEST(JailSupport, that_was_never_probed_has_nothing) {
  EXPECT_FALSE(JailSupport{}.complete());
  EXPECT_FALSE(JailSupport{}.has(JailPart::user_namespace));
}

TEST(JailProbe, says_why_a_part_is_missing) {
  CgroupTree none;
  none.memory_reason = "no cgroup mount";
  EXPECT_EQ(try_cgroup(none, JailPart::cgroup_memory).error().message(), "no cgroup mount");
  CgroupTree wrong;
  wrong.pids = {.version = CgroupParent::Version::v1, .directory = "/nonexistent"};
  EXPECT_FALSE(try_cgroup(wrong, JailPart::cgroup_pids));
  EXPECT_FALSE(try_seccomp("not a filter program of whole instructions"));
  EXPECT_EQ(try_namespace(JailPart::seccomp, true).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::process
