#include "process/jail_plan.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "process/jail_profile.hpp"

namespace assay::process {
namespace {

JailPlan sample() {
  JailPlan plan;
  plan.argv = {"/bin/true", "", "two words"};
  plan.environment = {"A=1"};
  plan.working_directory = "/work";
  plan.descriptor_numbers = {9, 1};
  plan.mount_namespace = true;
  plan.restrict = true;
  plan.landlock = 6;
  plan.binds = {{.host = "/a", .inside = "/b", .writable = true, .optional = false},
                {.host = "/c", .inside = "/d", .writable = false, .optional = true}};
  plan.limits.cpu_time = std::chrono::seconds(7);
  plan.limits.open_files = 12;
  plan.seccomp_program = std::string("a\0b", 3);
  return plan;
}

TEST(JailPlan, arrives_as_it_was_sent) {
  const JailPlan plan = decode_plan(encode(sample())).value();
  EXPECT_EQ(plan.argv, sample().argv);
  EXPECT_EQ(plan.environment, sample().environment);
  EXPECT_EQ(plan.working_directory, "/work");
  EXPECT_EQ(plan.descriptor_numbers, sample().descriptor_numbers);
  EXPECT_TRUE(plan.mount_namespace);
  EXPECT_TRUE(plan.restrict);
  EXPECT_EQ(plan.landlock, 6);
  EXPECT_FALSE(plan.pid_namespace);
  ASSERT_EQ(plan.binds.size(), 2U);
  EXPECT_EQ(plan.binds[0].inside, "/b");
  EXPECT_TRUE(plan.binds[0].writable);
  EXPECT_EQ(plan.binds[1].host, "/c");
  EXPECT_TRUE(plan.binds[1].optional);
  EXPECT_EQ(plan.limits.cpu_time, std::chrono::seconds(7));
  EXPECT_EQ(plan.limits.open_files, 12U);
  EXPECT_EQ(plan.seccomp_program, sample().seccomp_program);
}

TEST(JailPlan, is_refused_when_cut_anywhere_or_followed_by_more) {
  const std::string whole = encode(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_plan(std::string_view(whole).substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_plan(whole + "x"));
}

TEST(InitReport, arrives_as_it_was_sent) {
  EXPECT_TRUE(std::holds_alternative<Started>(decode_report(encode(Started{})).value()));
  EXPECT_EQ(std::get<SetupFailed>(decode_report(encode(SetupFailed{"why"})).value()).message,
            "why");
  EXPECT_EQ(std::get<ExecFailed>(decode_report(encode(ExecFailed{2})).value()).error_number, 2);
  const InitReport ended = decode_report(encode(Ended{139, 4096})).value();
  EXPECT_EQ(std::get<Ended>(ended).wait_status, 139);
  EXPECT_EQ(std::get<Ended>(ended).peak_memory_bytes, 4096U);
}

TEST(InitReport, of_an_unknown_kind_or_cut_short_is_refused) {
  EXPECT_FALSE(decode_report(""));
  EXPECT_FALSE(decode_report(std::string("\x09\0\0\0\0\0\0\0", 8)));
  EXPECT_FALSE(decode_report(encode(Ended{1, 2}).substr(0, 10)));
}

}  // namespace
}  // namespace assay::process
