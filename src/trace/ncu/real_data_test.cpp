// Real reports, where the folder that holds them is beside the project. Beside each .ncu-rep lies
// an independent decoding of it; of the CSV pages, two show the same launches.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/testkit/checkout.hpp"
#include "trace/ncu/reader.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using nlohmann::json;

std::filesystem::path data() {
  return testkit::shared_data();
}

class RealNcuData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data())) GTEST_SKIP() << "no real reports at " << data();
  }
};

bool same(const Cell& cell, const json& expected) {
  if (expected.is_string()) return cell == Cell(expected.get<std::string>());
  if (expected.is_number_integer()) return cell == Cell(expected.get<std::int64_t>());
  return cell == Cell(expected.get<double>());
}

void expect_same_launch(const NcuLaunch& launch, const json& expected) {
  EXPECT_EQ(json(launch.name), expected["demangled"]);
  EXPECT_EQ(json(launch.function), expected["function"]);
  EXPECT_EQ(json(launch.mangled), expected["mangled"]);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(launch.grid->at(i), expected["grid"][i]);
    EXPECT_EQ(launch.block->at(i), expected["block"][i]);
  }
  EXPECT_EQ(launch.created_unix_s, expected["f14"]);
  EXPECT_EQ(launch.stream, expected["f23"]);
  EXPECT_EQ(launch.rules.size(), expected["rules"].size());
  for (const auto& [name, value] : expected["metrics"].items()) {
    const NcuMetric* metric = launch.find(name);
    ASSERT_NE(metric, nullptr) << name;
    EXPECT_TRUE(same(metric->value, value)) << name;
  }
  for (const auto& [name, count] : expected["instanced"].items()) {
    ASSERT_NE(launch.find(name), nullptr) << name;
    EXPECT_EQ(launch.find(name)->instances.size(), count) << name;
  }
  std::set<std::string> with_value;
  for (const NcuMetric& metric : launch.metrics) {
    if (!metric.value.absent()) with_value.insert(metric.name);
  }
  EXPECT_EQ(with_value.size(), expected["metrics"].size());
}

void expect_same_report(std::string_view name, std::size_t launches) {
  const auto path = data() / "ncu_rep" / (std::string(name) + ".ncu-rep");
  const NcuReport report = read_ncu(path).value();
  std::ifstream file(path.string() + ".decoded.json");
  const json expected = json::parse(file);
  EXPECT_TRUE(report.diagnostics.empty());
  ASSERT_EQ(report.launches.size(), launches);
  ASSERT_EQ(expected.size(), launches);
  for (std::size_t i = 0; i < launches; ++i) expect_same_launch(report.launches[i], expected[i]);
}

TEST_F(RealNcuData, full_report_agrees_exactly_with_its_independent_decoding) {
  expect_same_report("cs599k_rms_norm_matrix_float4", 4);
}

TEST_F(RealNcuData, basic_report_agrees_exactly_with_its_independent_decoding) {
  expect_same_report("cs599k_rms_norm_pytorch", 1);
}

TEST_F(RealNcuData, bytes_over_time_are_the_bandwidth_in_every_digit) {
  const auto report =
      read_ncu(data() / "ncu_rep" / "cs599k_rms_norm_matrix_float4.ncu-rep").value();
  for (const NcuLaunch& launch : report.launches) {
    const double bytes = launch.number("dram__bytes_read.sum").value() +
                         launch.number("dram__bytes_write.sum").value();
    const double seconds = launch.number("gpu__time_duration.sum").value() / 1e9;
    EXPECT_DOUBLE_EQ(bytes / seconds, launch.number("dram__bytes.sum.per_second").value());
  }
}

TEST_F(RealNcuData, sections_have_the_labels_the_tool_shows) {
  const auto report =
      read_ncu(data() / "ncu_rep" / "cs599k_rms_norm_matrix_float4.ncu-rep").value();
  std::ifstream file(data() / "ncu_rep" / "sections_embedded.json");
  const json all = json::parse(file);
  const json expected = all[0]["sections"];
  ASSERT_EQ(report.sections.size(), expected.size());
  for (const json& section : expected) {
    const NcuSection* found = report.find_section(section["id"].get<std::string>());
    ASSERT_NE(found, nullptr) << section["id"];
    EXPECT_EQ(json(found->name), section["name"]);
    EXPECT_EQ(found->order, section["order"]);
    ASSERT_EQ(found->header.size(), section["header"].size()) << section["id"];
    for (std::size_t i = 0; i < found->header.size(); ++i) {
      EXPECT_EQ(json(found->header[i].name), section["header"][i]["metric"]);
      EXPECT_EQ(json(found->header[i].label), section["header"][i]["label"]);
    }
  }
}

/// Half a unit in the second decimal, in the unit the tool chooses for a value of this size.
double printed_precision(double value) {
  const double scale = std::pow(1000.0, std::floor(std::log10(std::abs(value) + 1e-9) / 3));
  return 0.0051 * std::max(1.0, scale);
}

TEST_F(RealNcuData, raw_and_details_pages_agree) {
  const NcuReport raw = read_ncu(data() / "ncu_h200" / "raw_full.csv").value();
  const NcuReport details = read_ncu(data() / "ncu_h200" / "details_full.csv").value();
  ASSERT_EQ(raw.launches.size(), 2U);
  ASSERT_EQ(details.launches.size(), 2U);
  std::size_t compared = 0;
  std::set<std::string> only_in_details;
  for (std::size_t i = 0; i < raw.launches.size(); ++i) {
    EXPECT_EQ(raw.launches[i].name, details.launches[i].name);
    EXPECT_EQ(raw.launches[i].nvtx.at(0).name, details.launches[i].nvtx.at(0).name);
    for (const NcuMetric& metric : details.launches[i].metrics) {
      const NcuMetric* other = raw.launches[i].find(metric.name);
      if (other == nullptr) {
        only_in_details.insert(metric.name);
        continue;
      }
      EXPECT_EQ(metric.unit, other->unit) << metric.name;
      if (const auto value = metric.value.number()) {
        EXPECT_NEAR(*value, other->value.number().value(), printed_precision(*value))
            << metric.name;
      } else {
        EXPECT_EQ(metric.value, other->value) << metric.name;
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 162U);
  // The labels that mean different metrics in different versions of the tool.
  EXPECT_EQ(only_in_details,
            (std::set<std::string>{"ComputeWorkloadAnalysis/Issue Slots Busy",
                                   "ComputeWorkloadAnalysis/SM Busy",
                                   "MemoryWorkloadAnalysis/L2 Compression Input Sectors",
                                   "MemoryWorkloadAnalysis/L2 Compression Ratio",
                                   "MemoryWorkloadAnalysis/L2 Compression Success Rate"}));
}

TEST_F(RealNcuData, details_pages_of_another_version_are_read_whole) {
  for (const char* kernel : {"kernel_0001", "kernel_0003"}) {
    for (const auto& entry : std::filesystem::directory_iterator(data() / "ncu_csv" / kernel)) {
      const NcuReport report = read_ncu(entry.path()).value();
      EXPECT_TRUE(report.diagnostics.empty()) << entry.path();
      EXPECT_GE(report.launches.size(), 1U) << entry.path();
      EXPECT_FALSE(report.launches[0].metrics.empty()) << entry.path();
    }
  }
  const NcuReport report = read_ncu(data() / "ncu_csv" / "kernel_0001" / "ncu.metrics.csv").value();
  // The value whose unit was once ignored: 2.33 megabytes, not 2.33 bytes.
  EXPECT_EQ(report.launches[0].number("dram__bytes_read.sum"), 2.33e6);
  EXPECT_TRUE(report.launches[0].find("flop_count_hp.sum")->value.absent());
}

}  // namespace
}  // namespace assay::trace
