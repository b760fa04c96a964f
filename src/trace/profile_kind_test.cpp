#include "trace/profile_kind.hpp"

#include <string_view>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::trace {
namespace {

using namespace std::string_view_literals;

TEST(ProfileKind, is_told_by_content) {
  EXPECT_EQ(profile_kind("SQLite format 3\0..."sv, "x").value(), ProfileKind::nsys_sqlite);
  EXPECT_EQ(profile_kind("NVR\0\0\0\0\0"sv, "x").value(), ProfileKind::ncu);
  EXPECT_EQ(profile_kind("\n { \"traceEvents\": []", "x").value(), ProfileKind::kineto);
  EXPECT_EQ(profile_kind("Time (%),Total Time (ns),Instances", "x").value(),
            ProfileKind::nsys_stats);
  EXPECT_EQ(profile_kind("==PROF== Connected\n\"ID\",\"Process ID\",\"Process Name\"", "x").value(),
            ProfileKind::ncu);
}

TEST(ProfileKind, of_a_report_of_nsight_systems_is_told_by_its_name) {
  EXPECT_EQ(profile_kind("anything", "run.nsys-rep").value(), ProfileKind::nsys_report);
  EXPECT_EQ(profile_kind("anything", "run.qdrep").value(), ProfileKind::nsys_report);
}

TEST(ProfileKind, of_something_else_is_an_error_that_lists_what_is_read) {
  const auto kind = profile_kind("hello", "notes.txt");
  EXPECT_EQ(kind.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(kind.error().message().find("PyTorch"), std::string_view::npos);
}

TEST(ProfileKind, of_an_absent_file_is_not_found) {
  EXPECT_EQ(profile_kind("/nowhere/x.sqlite").error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::trace
