#include "cli/metric_sets.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os.hpp"
#include "model/device_metrics.hpp"

namespace assay::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MetricSetsTest : public ::testing::Test {
 protected:
  Result<MetricSets> read(const std::string& text) {
    std::ofstream(file_) << text;
    return read_metric_sets(file_);
  }
  TempDir temp_ = TempDir::create("/tmp", "assay-sets-").value();
  std::filesystem::path file_ = temp_.path() / "sets.json";
};

TEST_F(MetricSetsTest, reads_sets_that_requests_then_name) {
  const MetricSets sets =
      read(
          R"({"memory": {"sections": ["MemoryWorkloadAnalysis"], "metrics": ["dram__bytes.sum"]}})")
          .value();
  const MetricsWanted wanted = expanded({.sets = {"memory", "full"}, .metrics = {"a"}}, sets);
  EXPECT_THAT(wanted.sets, ElementsAre("full"));
  EXPECT_THAT(wanted.sections, ElementsAre("MemoryWorkloadAnalysis"));
  EXPECT_THAT(wanted.metrics, ElementsAre("a", "dram__bytes.sum"));
  EXPECT_TRUE(read_metric_sets(std::nullopt).value().empty());
}

TEST_F(MetricSetsTest, names_the_set_that_is_wrong) {
  const auto mistake = [&](const std::string& text) { return read(text).error().message(); };
  EXPECT_THAT(mistake("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(mistake(R"({"m": {}})"), HasSubstr("set 'm'"));
  EXPECT_THAT(mistake(R"({"m": {"section": ["a"]}})"), HasSubstr("has no 'section'"));
  EXPECT_THAT(mistake(R"({"m": {"metrics": ["a b"]}})"), HasSubstr("'a b' cannot be a name"));
  EXPECT_THAT(mistake(R"({"m": {"metrics": "a"}})"), HasSubstr("metrics"));
  EXPECT_THAT(mistake(R"({"--m": {"metrics": ["a"]}})"), HasSubstr("is no name"));
  EXPECT_THAT(read_metric_sets("/nowhere/sets.json").error().message(), HasSubstr("--metric-sets"));
}

}  // namespace
}  // namespace assay::cli
