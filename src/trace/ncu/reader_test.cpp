#include "trace/ncu/reader.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/report.hpp"

namespace assay::trace {
namespace {

NcuReport one_launch() {
  NcuReport report;
  report.launches = {{.name = "k", .metrics = {{.name = "inst_executed", .value = 1}}}};
  return report;
}

TEST(ReadNcu, tells_formats_apart_by_content) {
  const auto dir = TempDir::create(std::filesystem::temp_directory_path(), "assay-ncu-").value();
  const auto path = dir.path() / "report";
  ASSERT_TRUE(write_file_atomically(path, testing::write_ncu_rep(one_launch())));
  EXPECT_EQ(read_ncu(path).value().launches.size(), 1U);
  ASSERT_TRUE(write_file_atomically(
      path, "\"ID\",\"Process ID\",\"Kernel Name\"\n\"\",\"\",\"\"\n\"0\",\"1\",\"k\"\n"));
  EXPECT_EQ(read_ncu(path).value().source, NcuReport::Source::raw_page);
}

TEST(ReadNcu, says_which_file_it_could_not_read) {
  EXPECT_EQ(read_ncu("/nonexistent/x.ncu-rep").error().code(), ErrorCode::not_found);
  const auto dir = TempDir::create(std::filesystem::temp_directory_path(), "assay-ncu-").value();
  const auto path = dir.path() / "report.ncu-rep";
  ASSERT_TRUE(write_file_atomically(path, std::string_view("NVR\0\xFF", 5)));
  const auto report = read_ncu(path);
  EXPECT_EQ(report.error().code(), ErrorCode::data_loss);
  EXPECT_NE(report.error().message().find("report.ncu-rep"), std::string::npos);
}

TEST(ParseNcu, refuses_compressed_reports_with_advice) {
  const auto report = parse_ncu("\x28\xB5\x2F\xFD compressed");
  EXPECT_EQ(report.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(report.error().message().find("zstd"), std::string::npos);
}

TEST(LooksLikeNcu, knows_its_formats) {
  EXPECT_TRUE(looks_like_ncu(testing::write_ncu_rep(one_launch())));
  EXPECT_TRUE(looks_like_ncu("==PROF== x\n\"ID\",\"Process ID\",\"Process Name\""));
  EXPECT_FALSE(looks_like_ncu("Time (%),Total Time (ns)"));
}

}  // namespace
}  // namespace assay::trace
