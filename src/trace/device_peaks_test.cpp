#include "trace/device_peaks.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

TEST(DevicePeaks, are_found_by_the_names_drivers_give) {
  using Pair = std::pair<std::string_view, std::string_view>;
  for (const auto& [driver, name] :
       {Pair{"NVIDIA H100 PCIe", "H100 PCIe"}, Pair{"NVIDIA H100 80GB HBM3", "H100 SXM"},
        Pair{"NVIDIA H100 NVL", "H100 NVL"}, Pair{"NVIDIA GH200 480GB", "GH200"},
        Pair{"NVIDIA H200", "H200 SXM"}, Pair{"NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"},
        Pair{"NVIDIA A100-PCIE-40GB", "A100 40GB"}, Pair{"NVIDIA A100 80GB PCIe", "A100 80GB PCIe"},
        Pair{"NVIDIA A10", "A10"}, Pair{"NVIDIA L40S", "L40S"}, Pair{"NVIDIA L4", "L4"},
        Pair{"NVIDIA GeForce RTX 3070 Ti", "GeForce RTX 3070 Ti"},
        Pair{"NVIDIA GeForce RTX 5090", "GeForce RTX 5090"}, Pair{"h100", "H100 SXM"}}) {
    ASSERT_NE(find_device(driver), nullptr) << driver;
    EXPECT_EQ(find_device(driver)->name, name) << driver;
  }
}

TEST(DevicePeaks, of_devices_not_listed_are_not_guessed) {
  for (const std::string_view name : {"NVIDIA A10G", "NVIDIA GeForce RTX 3070", "AMD MI300X", ""}) {
    EXPECT_EQ(find_device(name), nullptr) << name;
  }
}

TEST(DevicePeaks, are_dense) {
  EXPECT_EQ(find_device("H100")->datasheet_peak(MathType::bf16), 989.4e12);
  EXPECT_EQ(find_device("H100 PCIe")->datasheet_peak(MathType::bf16), 756e12);
  EXPECT_EQ(find_device("A100")->datasheet_peak(MathType::bf16), 312e12);
  EXPECT_FALSE(find_device("A100")->datasheet_peak(MathType::fp8));
}

// A sparse figure in the table would imply a clock no device has.
TEST(DevicePeaks, and_rates_imply_a_clock_that_exists) {
  for (const DeviceSpec& device : known_devices()) {
    for (const DensePeak& peak : device.peaks) {
      const double hz = peak.datasheet_flop_per_s / (peak.flop_per_sm_cycle * device.sm_count);
      EXPECT_GT(hz, 1.3e9) << device.name << " " << to_string(peak.type);
      EXPECT_LT(hz, 2.65e9) << device.name << " " << to_string(peak.type);
    }
  }
}

TEST(DevicePeaks, follow_the_clock) {
  // What Nsight Compute reports for an H200 at 1.5787 GHz: 853.56 TFLOP/s.
  const auto peak = find_device("H200")->peak_at(MathType::bf16, 1578701810.668446);
  EXPECT_NEAR(peak.value_or(0), 853.5598e12, 1e9);
  EXPECT_FALSE(find_device("V100")->peak_at(MathType::bf16, 1e9));
}

TEST(MathType, is_parsed_by_name) {
  EXPECT_EQ(parse_math_type("tf32").value(), MathType::tf32);
  EXPECT_EQ(parse_math_type("fp7").error().code(), ErrorCode::invalid_argument);
}

TEST(DeviceTable, has_a_source_for_every_device) {
  const Table table = device_table();
  ASSERT_EQ(table.rows.size(), known_devices().size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_FALSE(known_devices()[i].source.empty());
    EXPECT_EQ(*table.find(i, "source"), Cell(known_devices()[i].source));
  }
}

TEST(DevicePeaks, know_the_rtx_20_cards) {
  for (const char* name :
       {"NVIDIA GeForce RTX 2060", "NVIDIA GeForce RTX 2060 SUPER", "NVIDIA GeForce RTX 2070",
        "NVIDIA GeForce RTX 2070 SUPER", "NVIDIA GeForce RTX 2080", "NVIDIA GeForce RTX 2080 SUPER",
        "NVIDIA GeForce RTX 2080 Ti", "NVIDIA TITAN RTX"}) {
    const DeviceSpec* device = find_device(name);
    ASSERT_NE(device, nullptr) << name;
    EXPECT_TRUE(std::string_view(name).ends_with(device->name)) << name << device->name;
    EXPECT_TRUE(device->datasheet_peak(MathType::fp32).has_value()) << name;
    EXPECT_TRUE(device->datasheet_peak(MathType::fp16).has_value()) << name;
  }
}

}  // namespace
}  // namespace assay::trace
