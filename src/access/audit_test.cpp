#include "access/audit.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::access {
namespace {

class AuditTest : public testing::Test {
 protected:
  ManualClock clock_;
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-audit-").value();
  std::filesystem::path path_ = temp_.path() / "audit.log";
};

TEST_F(AuditTest, writes_a_line_for_each_deed_and_goes_on_after_a_restart) {
  Audit::open(path_, clock_)
      .value()
      .note({.who = "ci (1f)", .from = "10.0.0.7:4", .action = "submit", .what = "job-1"});
  Audit::open(path_, clock_)
      .value()
      .note({.who = "", .from = "10.0.0.8:5", .action = "refused", .what = "no\ntoken"});
  EXPECT_EQ(read_file(path_).value(),
            "1970-01-01T00:00:00.000Z submit by ci (1f) from 10.0.0.7:4: job-1\n"
            "1970-01-01T00:00:00.000Z refused by nobody from 10.0.0.8:5: no token\n");
}

TEST_F(AuditTest, long_words_are_cut) {
  Audit audit = Audit::open(path_, clock_).value();
  audit.note({.who = "", .from = "x", .action = "refused", .what = std::string(10'000, 'a')});
  EXPECT_LT(std::filesystem::file_size(path_), 300U);
}

TEST_F(AuditTest, full_file_is_moved_aside) {
  Audit audit = Audit::open(path_, clock_, 200).value();
  for (int i = 0; i < 5; ++i) {
    audit.note({.who = "ci", .from = "10.0.0.7:4", .action = "submit", .what = std::to_string(i)});
  }
  EXPECT_LE(std::filesystem::file_size(path_), 200U);
  EXPECT_NE(read_file(path_).value().find(": 4\n"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(path_.string() + ".1"));
}

TEST_F(AuditTest, place_that_cannot_be_written_is_told_at_once) {
  EXPECT_EQ(Audit::open(temp_.path() / "none" / "audit.log", clock_).error().code(),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::access
