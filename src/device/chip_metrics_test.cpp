#include "device/chip_metrics.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::device {
namespace {

using ::testing::Contains;

/// The library of the prepared Python, where this machine has one.
std::string cupti() {
  const char* named = std::getenv("ASSAY_CUPTI");  // NOLINT(concurrency-mt-unsafe)
  if (named != nullptr) return named;
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  const std::filesystem::path root =
      std::filesystem::path(home == nullptr ? "/" : home) / ".cache/assay/python/lib";
  std::error_code ignored;
  for (const auto& python : std::filesystem::directory_iterator(root, ignored)) {
    const auto file = python.path() / "site-packages/nvidia/cu13/lib/libcupti.so.13";
    if (std::filesystem::exists(file)) return file.string();
  }
  return {};
}

/// Why the library cannot be asked here; empty where it can.
std::string hindrance() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "CUPTI loads its tables in a way that sanitizers forbid; the command is tested with them";
#else
  return cupti().empty() ? "no CUPTI here" : "";
#endif
}

#define ASSAY_NEEDS_CUPTI() \
  if (const auto why = hindrance(); !why.empty()) GTEST_SKIP() << why

TEST(ChipMetrics, knows_chips_without_a_gpu) {
  ASSAY_NEEDS_CUPTI();
  EXPECT_THAT(ChipMetrics::chips(cupti()).value(), Contains("GH100"));
}

TEST(ChipMetrics, says_what_a_metric_is_and_what_it_costs) {
  ASSAY_NEEDS_CUPTI();
  const ChipMetrics chip = ChipMetrics::open(cupti(), "gh100").value();
  EXPECT_THAT(chip.names().value(), Contains("sm__throughput"));
  EXPECT_EQ(chip.describe("dram__bytes.sum").value().unit, "byte");
  const std::vector<std::string> cheap{"dram__bytes.sum", "gpu__time_duration.sum"};
  EXPECT_EQ(chip.passes(cheap).value(), 1U);
  const std::vector<std::string> dear{"sm__throughput.avg.pct_of_peak_sustained_elapsed"};
  EXPECT_GT(chip.passes(dear).value(), 1U);
  EXPECT_EQ(chip.passes(cheap).value(), 1U);  // the second plan knows nothing of the first
}

TEST(ChipMetrics, refuses_what_does_not_exist) {
  ASSAY_NEEDS_CUPTI();
  EXPECT_EQ(ChipMetrics::open(cupti(), "xyz").error().code(), ErrorCode::not_found);
  const ChipMetrics chip = ChipMetrics::open(cupti(), "GH100").value();
  EXPECT_EQ(chip.describe("flop_count_sp").error().code(), ErrorCode::not_found);
  EXPECT_EQ(chip.passes(std::vector<std::string>{"flop_count_sp"}).error().code(),
            ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::device
