#include "trace/events/nsys_rep.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "trace/events/nsys_fixture.hpp"

namespace assay::trace {
namespace {

class NsysRep : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(report_) << "a report"; }

  void make_export(const std::string& source) {
    NsysFixture fixture;
    fixture.launch({.call_start = 1, .call_end = 2, .start = 3, .end = 4, .name = "k"});
    fixture.sql("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_INPUT_PATH', '" + source +
                "')");
    fixture.write(sqlite_);
  }

  /// Stands in for an nsys that exports.
  NsysTool exporting() {
    return {.nsys = "/opt/nsys",
            .run = [this](const std::vector<std::string>& argv) -> Result<void> {
              ran_.push_back(argv);
              make_export(report_.string());
              return {};
            }};
  }

  TempDir folder_ = TempDir::create(std::filesystem::temp_directory_path(), "rep").value();
  std::filesystem::path report_ = folder_.path() / "run.nsys-rep";
  std::filesystem::path sqlite_ = folder_.path() / "run.sqlite";
  std::vector<std::vector<std::string>> ran_;
};

TEST_F(NsysRep, is_read_from_a_fresh_export_beside_it) {
  make_export(report_.string());
  EXPECT_EQ(export_state(report_).kind, ExportState::Kind::fresh);
  const auto trace = read_nsys_rep(report_, exporting());
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->kernels.size(), 1U);
  EXPECT_TRUE(ran_.empty());
}

TEST_F(NsysRep, is_exported_where_there_is_no_export) {
  EXPECT_EQ(export_state(report_).kind, ExportState::Kind::absent);
  ASSERT_TRUE(read_nsys_rep(report_, exporting()).has_value());
  ASSERT_EQ(ran_.size(), 1U);
  EXPECT_EQ(ran_[0], (std::vector<std::string>{"/opt/nsys", "export", "--type", "sqlite",
                                               "--force-overwrite", "true", "--output",
                                               sqlite_.string(), report_.string()}));
}

TEST_F(NsysRep, an_export_older_than_the_report_is_stale_and_made_anew) {
  make_export(report_.string());
  std::filesystem::last_write_time(
      sqlite_, std::filesystem::last_write_time(report_) - std::chrono::hours(1));
  const ExportState state = export_state(report_);
  EXPECT_EQ(state.kind, ExportState::Kind::stale);
  EXPECT_EQ(state.why, "it is older than the report");
  ASSERT_TRUE(read_nsys_rep(report_, exporting()).has_value());
  EXPECT_EQ(ran_.size(), 1U);
}

TEST_F(NsysRep, an_export_of_another_report_is_stale) {
  make_export("/elsewhere/other.nsys-rep");
  EXPECT_EQ(export_state(report_).why, "it was exported from other.nsys-rep");
}

TEST_F(NsysRep, an_export_that_cannot_be_read_is_stale) {
  std::ofstream(sqlite_) << std::string(4096, 'x');
  EXPECT_EQ(export_state(report_).kind, ExportState::Kind::stale);
}

TEST_F(NsysRep, without_nsys_the_error_says_how_to_export_elsewhere) {
  const auto trace = read_nsys_rep(report_, {});
  EXPECT_EQ(trace.error().code(), ErrorCode::unavailable);
  EXPECT_NE(trace.error().message().find("nsys export --type sqlite"), std::string::npos);
}

TEST_F(NsysRep, a_failing_nsys_is_an_error_that_names_the_report) {
  const NsysTool failing{.nsys = "/opt/nsys", .run = [](const auto&) -> Result<void> {
                           return fail(ErrorCode::internal, "nsys exited with 1");
                         }};
  const auto trace = read_nsys_rep(report_, failing);
  EXPECT_NE(trace.error().message().find("run.nsys-rep"), std::string::npos);
}

TEST_F(NsysRep, an_absent_report_is_not_found) {
  EXPECT_EQ(read_nsys_rep(folder_.path() / "none.nsys-rep", {}).error().code(),
            ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::trace
