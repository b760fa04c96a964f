// Real captures, where the folder that holds them is beside the project. Each sqlite file has its
// reference figures, computed independently, in an .expected.json beside it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/testkit/checkout.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using nlohmann::json;

std::filesystem::path folder() {
  return testkit::shared_data() / "sqlite";
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  if (!std::filesystem::exists(folder())) return {"absent"};
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string name = entry.path().filename();
    constexpr std::string_view kSuffix = ".expected.json";
    if (!name.ends_with(kSuffix)) continue;
    out.push_back(name.substr(0, name.size() - kSuffix.size()));
  }
  std::ranges::sort(out);
  return out;
}

class ExpectedFigures : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "absent") GTEST_SKIP() << "no captures at " << folder();
    std::ifstream file(folder() / (GetParam() + ".expected.json"));
    expected_ = json::parse(file);
  }

  /// Read once for all tests of a file.
  static const Trace& trace_of(const std::string& name) {
    static std::map<std::string, Trace> traces;
    const auto found = traces.find(name);
    if (found != traces.end()) return found->second;
    if (name == "absent") return traces[name];
    auto trace = read_nsys_sqlite(folder() / (name + ".sqlite"), {.raw_range_names = true});
    EXPECT_TRUE(trace.has_value()) << (trace ? "" : trace.error().message());
    return traces.emplace(name, trace ? *std::move(trace) : Trace()).first->second;
  }

  /// The figures of a row in the order of the reference: share, total, count, average, median,
  /// least, greatest, deviation; then the named text columns.
  static json reference_row(const Table& table, std::size_t row,
                            const std::vector<std::string>& texts) {
    json out = json::array();
    for (const char* column : {"time_pct", "total_ns", "count", "average_ns", "median_ns", "min_ns",
                               "max_ns", "stddev_ns"}) {
      out.push_back(table.find(row, column)->number().value());
    }
    for (const std::string& column : texts) {
      out.push_back(std::get<std::string>(table.find(row, column)->value()));
    }
    return out;
  }

  /// All numbers as doubles, so that 5 and 5.0 compare equal.
  static json as_doubles(const json& row) {
    json out = json::array();
    for (const json& value : row) {
      out.push_back(value.is_number() ? json(value.get<double>()) : value);
    }
    return out;
  }

  void expect_rows(const std::string& key, const Table& table,
                   const std::vector<std::string>& texts) {
    if (!expected_.contains(key)) {
      EXPECT_TRUE(table.rows.empty()) << key;
      return;
    }
    const json& reference = expected_[key];
    ASSERT_GE(table.rows.size(), reference.size());
    for (std::size_t row = 0; row < reference.size(); ++row) {
      EXPECT_EQ(reference_row(table, row, texts), as_doubles(reference[row])) << key << row;
    }
  }

  json expected_;
  const Trace& trace_ = trace_of(GetParam());
};

TEST_P(ExpectedFigures, versions_agree) {
  EXPECT_EQ(trace_.capture.product,
            "NVIDIA Nsight Systems " + expected_["nsys"].get<std::string>());
  EXPECT_EQ(trace_.capture.schema, expected_["schema"].get<std::string>());
}

TEST_P(ExpectedFigures, kernel_sums_agree) {
  const auto sums = kernel_sums(trace_, KernelNaming::demangled);
  expect_rows("cuda_gpu_kern_sum", kernel_table(sums, OpClassifier()), {"name"});
  EXPECT_EQ(sums.size(), expected_.value("cuda_gpu_kern_sum", json::array()).size());
}

TEST_P(ExpectedFigures, api_sums_agree) {
  const Table table = call_table(trace_);
  expect_rows("cuda_api_sum", table, {"name"});
  EXPECT_EQ(table.rows.size(), expected_.value("cuda_api_sum", json::array()).size());
}

TEST_P(ExpectedFigures, copies_by_kind_agree) {
  const std::map<std::string, int> kinds = {
      {"host_to_device", 1}, {"device_to_host", 2}, {"device_to_device", 8}, {"peer_to_peer", 10}};
  json found = json::array();
  const Table table = copy_table(trace_);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string kind = std::get<std::string>(table.find(row, "kind")->value());
    found.push_back({kinds.at(kind), table.find(row, "count")->number().value(),
                     table.find(row, "moved_bytes")->number().value(),
                     table.find(row, "total_ns")->number().value()});
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected_.value("memcpy_by_kind", json::array()));
}

TEST_P(ExpectedFigures, memory_sets_agree) {
  const Table table = fill_table(trace_);
  if (!expected_.contains("memset")) {
    EXPECT_TRUE(table.rows.empty());
    return;
  }
  const json found = {table.find(0, "count")->number().value(),
                      table.find(0, "moved_bytes")->number().value(),
                      table.find(0, "total_ns")->number().value()};
  EXPECT_EQ(found, expected_["memset"]);
}

TEST_P(ExpectedFigures, range_sums_agree) {
  Table table = range_table(trace_);
  for (auto& row : table.rows) {
    Cell& style = row[*table.column_index("style")];
    style = style == Cell("push_pop") ? "PushPop" : "StartEnd";
  }
  EXPECT_EQ(table.rows.size(), expected_.value("nvtx_sum_distinct", 0U));
  expect_rows("nvtx_sum_top", table, {"range", "style"});
}

TEST_P(ExpectedFigures, ranges_by_type_agree) {
  // The reference counts rows per event type: all, without an end, ended by another thread.
  std::map<int, std::array<std::uint64_t, 3>> found;
  for (std::size_t row = 0; row < trace_.ranges.size(); ++row) {
    auto& counts = found[trace_.ranges.style[row] == RangeStyle::push_pop ? 59 : 60];
    counts[0] += (trace_.ranges.flags[row] & range_open) != 0 ? 1 : 0;
    counts[1] += (trace_.ranges.flags[row] & range_cross_thread) != 0 ? 1 : 0;
    counts[2] += 1;
  }
  for (const json& row : expected_.value("nvtx_null_end_by_type", json::array())) {
    const int type = row[0];
    if (type == 75) {
      EXPECT_EQ(row[3], trace_.domains);
      continue;
    }
    EXPECT_EQ(json({found[type][0], found[type][1], found[type][2]}),
              json({row[1], row[2], row[3]}));
  }
}

TEST_P(ExpectedFigures, device_busy_agrees) {
  json found = json::object();
  for (const DeviceBusy& device : device_busy(trace_)) {
    found[std::to_string(device.device)] = {{"kernels", device.kernels},
                                            {"sum_kernel", device.kernel_sum},
                                            {"union_kernel", device.kernel_busy},
                                            {"union_mem", device.memory_busy},
                                            {"union_all", device.busy},
                                            {"span", device.span},
                                            {"idle", device.idle()},
                                            {"overlap_kernel_mem", device.kernel_memory_overlap}};
  }
  EXPECT_EQ(found, expected_.value("busy", json::object()));
}

TEST_P(ExpectedFigures, kernels_within_ranges_agree) {
  const Attribution attribution = attribute(trace_);
  const Coverage coverage = coverage_of(trace_, attribution);
  if (!expected_.contains("nvtx_kern_groups")) {  // no kernels, or no ranges
    EXPECT_EQ(coverage.same_thread.count, 0U);
    return;
  }
  EXPECT_EQ(coverage.all.count - coverage.same_thread.count,
            expected_["kernels_outside_any_range"].get<std::uint64_t>());

  std::size_t groups = 0;
  const Table pairs = range_kernel_table(trace_, attribution);
  for (std::size_t row = 0; row < pairs.rows.size(); ++row) {
    groups += *pairs.find(row, "rule") == Cell("same_thread") ? 1 : 0;
  }
  EXPECT_EQ(groups, expected_["nvtx_kern_groups"].get<std::size_t>());

  std::map<std::string, std::pair<double, double>> found;
  const Table table = range_gpu_table(trace_, attribution);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    found[std::get<std::string>(table.find(row, "range")->value())] = {
        table.find(row, "same_thread_kernels")->number().value(),
        table.find(row, "same_thread_ns")->number().value()};
  }
  for (const json& row : expected_["nvtx_kern_by_range_top"]) {
    EXPECT_EQ(found[row[0]], std::pair(row[1].get<double>(), row[2].get<double>())) << row[0];
  }
}

INSTANTIATE_TEST_SUITE_P(RealData, ExpectedFigures, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace assay::trace
