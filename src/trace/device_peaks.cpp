#include "trace/device_peaks.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

constexpr double kTera = 1e12;

// Rates per multiprocessor and cycle are what Nsight Compute reports as peak_sustained on GH100
// and GA100, and what the datasheet's peak and clock imply elsewhere. On GeForce and L40, half
// precision products are summed into fp32 at half rate: that is the rate given.
constexpr std::array kV100 = std::to_array<DensePeak>({{MathType::fp64, 7.8 * kTera, 64},
                                                       {MathType::fp32, 15.7 * kTera, 128},
                                                       {MathType::fp16, 125 * kTera, 1024}});
constexpr std::array kT4 = std::to_array<DensePeak>({{MathType::fp32, 8.1 * kTera, 128},
                                                     {MathType::fp16, 65 * kTera, 1024},
                                                     {MathType::int8, 130 * kTera, 2048}});
// Turing: half precision products of GeForce cards are summed into fp32 at half the rate.
constexpr std::array kRtx2060 = std::to_array<DensePeak>(
    {{MathType::fp32, 6.5 * kTera, 128}, {MathType::fp16, 25.8 * kTera, 512}});
constexpr std::array kRtx2060Super = std::to_array<DensePeak>(
    {{MathType::fp32, 7.2 * kTera, 128}, {MathType::fp16, 28.7 * kTera, 512}});
constexpr std::array kRtx2070 = std::to_array<DensePeak>(
    {{MathType::fp32, 7.5 * kTera, 128}, {MathType::fp16, 29.9 * kTera, 512}});
constexpr std::array kRtx2070Super = std::to_array<DensePeak>(
    {{MathType::fp32, 9.1 * kTera, 128}, {MathType::fp16, 36.3 * kTera, 512}});
constexpr std::array kRtx2080 = std::to_array<DensePeak>(
    {{MathType::fp32, 10.1 * kTera, 128}, {MathType::fp16, 40.3 * kTera, 512}});
constexpr std::array kRtx2080Super = std::to_array<DensePeak>(
    {{MathType::fp32, 11.2 * kTera, 128}, {MathType::fp16, 44.6 * kTera, 512}});
constexpr std::array kRtx2080Ti = std::to_array<DensePeak>(
    {{MathType::fp32, 13.4 * kTera, 128}, {MathType::fp16, 53.8 * kTera, 512}});
constexpr std::array kTitanRtx = std::to_array<DensePeak>(
    {{MathType::fp32, 16.3 * kTera, 128}, {MathType::fp16, 130.5 * kTera, 1024}});
constexpr std::array kA100 = std::to_array<DensePeak>({{MathType::fp64, 9.7 * kTera, 64},
                                                       {MathType::fp64_tensor, 19.5 * kTera, 128},
                                                       {MathType::fp32, 19.5 * kTera, 128},
                                                       {MathType::tf32, 156 * kTera, 1024},
                                                       {MathType::fp16, 312 * kTera, 2048},
                                                       {MathType::bf16, 312 * kTera, 2048},
                                                       {MathType::int8, 624 * kTera, 4096}});
constexpr std::array kA10 = std::to_array<DensePeak>({{MathType::fp32, 31.2 * kTera, 256},
                                                      {MathType::tf32, 62.5 * kTera, 512},
                                                      {MathType::fp16, 125 * kTera, 1024},
                                                      {MathType::bf16, 125 * kTera, 1024},
                                                      {MathType::int8, 250 * kTera, 2048}});
constexpr std::array kA40 = std::to_array<DensePeak>({{MathType::fp32, 37.4 * kTera, 256},
                                                      {MathType::tf32, 74.8 * kTera, 512},
                                                      {MathType::fp16, 149.7 * kTera, 1024},
                                                      {MathType::bf16, 149.7 * kTera, 1024},
                                                      {MathType::int8, 299.3 * kTera, 2048}});
constexpr std::array kA6000 = std::to_array<DensePeak>({{MathType::fp32, 38.7 * kTera, 256},
                                                        {MathType::tf32, 77.4 * kTera, 512},
                                                        {MathType::fp16, 154.8 * kTera, 1024},
                                                        {MathType::bf16, 154.8 * kTera, 1024},
                                                        {MathType::int8, 309.7 * kTera, 2048}});
constexpr std::array kRtx3070Ti = std::to_array<DensePeak>({{MathType::fp32, 21.7 * kTera, 256},
                                                            {MathType::tf32, 21.7 * kTera, 256},
                                                            {MathType::fp16, 43.5 * kTera, 512},
                                                            {MathType::bf16, 43.5 * kTera, 512}});
constexpr std::array kRtx3090 = std::to_array<DensePeak>({{MathType::fp32, 35.6 * kTera, 256},
                                                          {MathType::tf32, 35.6 * kTera, 256},
                                                          {MathType::fp16, 71 * kTera, 512},
                                                          {MathType::bf16, 71 * kTera, 512},
                                                          {MathType::int8, 284 * kTera, 2048}});
constexpr std::array kL4 = std::to_array<DensePeak>({{MathType::fp32, 30.3 * kTera, 256},
                                                     {MathType::tf32, 60 * kTera, 512},
                                                     {MathType::fp16, 121 * kTera, 1024},
                                                     {MathType::bf16, 121 * kTera, 1024},
                                                     {MathType::fp8, 242.5 * kTera, 2048}});
constexpr std::array kL40 = std::to_array<DensePeak>({{MathType::fp32, 90.5 * kTera, 256},
                                                      {MathType::tf32, 90.5 * kTera, 256},
                                                      {MathType::fp16, 181.05 * kTera, 512},
                                                      {MathType::bf16, 181.05 * kTera, 512},
                                                      {MathType::fp8, 362 * kTera, 1024}});
constexpr std::array kL40S = std::to_array<DensePeak>({{MathType::fp32, 91.6 * kTera, 256},
                                                       {MathType::tf32, 183 * kTera, 512},
                                                       {MathType::fp16, 362.05 * kTera, 1024},
                                                       {MathType::bf16, 362.05 * kTera, 1024},
                                                       {MathType::fp8, 733 * kTera, 2048}});
constexpr std::array kRtx4090 = std::to_array<DensePeak>({{MathType::fp32, 82.6 * kTera, 256},
                                                          {MathType::tf32, 82.6 * kTera, 256},
                                                          {MathType::fp16, 165.2 * kTera, 512},
                                                          {MathType::bf16, 165.2 * kTera, 512},
                                                          {MathType::fp8, 330.3 * kTera, 1024}});
constexpr std::array kH100Sxm =
    std::to_array<DensePeak>({{MathType::fp64, 33.5 * kTera, 128},
                              {MathType::fp64_tensor, 66.9 * kTera, 256},
                              {MathType::fp32, 66.9 * kTera, 256},
                              {MathType::tf32, 494.7 * kTera, 2048},
                              {MathType::fp16, 989.4 * kTera, 4096},
                              {MathType::bf16, 989.4 * kTera, 4096},
                              {MathType::fp8, 1978.9 * kTera, 8192},
                              {MathType::int8, 1978.9 * kTera, 8192}});
constexpr std::array kH100Pcie =
    std::to_array<DensePeak>({{MathType::fp64, 25.6 * kTera, 128},
                              {MathType::fp64_tensor, 51.2 * kTera, 256},
                              {MathType::fp32, 51.2 * kTera, 256},
                              {MathType::tf32, 378 * kTera, 2048},
                              {MathType::fp16, 756 * kTera, 4096},
                              {MathType::bf16, 756 * kTera, 4096},
                              {MathType::fp8, 1513 * kTera, 8192},
                              {MathType::int8, 1513 * kTera, 8192}});
constexpr std::array kH100Nvl = std::to_array<DensePeak>({{MathType::fp64, 30 * kTera, 128},
                                                          {MathType::fp64_tensor, 60 * kTera, 256},
                                                          {MathType::fp32, 60 * kTera, 256},
                                                          {MathType::tf32, 417.5 * kTera, 2048},
                                                          {MathType::fp16, 835.5 * kTera, 4096},
                                                          {MathType::bf16, 835.5 * kTera, 4096},
                                                          {MathType::fp8, 1670.5 * kTera, 8192},
                                                          {MathType::int8, 1670.5 * kTera, 8192}});
constexpr std::array kB200 = std::to_array<DensePeak>({{MathType::fp32, 75 * kTera, 256},
                                                       {MathType::tf32, 1125 * kTera, 4096},
                                                       {MathType::fp16, 2250 * kTera, 8192},
                                                       {MathType::bf16, 2250 * kTera, 8192},
                                                       {MathType::fp8, 4500 * kTera, 16384}});
constexpr std::array kGb200 = std::to_array<DensePeak>({{MathType::fp32, 80 * kTera, 256},
                                                        {MathType::tf32, 1250 * kTera, 4096},
                                                        {MathType::fp16, 2500 * kTera, 8192},
                                                        {MathType::bf16, 2500 * kTera, 8192},
                                                        {MathType::fp8, 5000 * kTera, 16384}});
constexpr std::array kRtx5090 = std::to_array<DensePeak>({{MathType::fp32, 104.8 * kTera, 256},
                                                          {MathType::tf32, 104.8 * kTera, 256},
                                                          {MathType::fp16, 209.5 * kTera, 512},
                                                          {MathType::bf16, 209.5 * kTera, 512},
                                                          {MathType::fp8, 419 * kTera, 1024}});

constexpr std::string_view kHopper =
    "NVIDIA H100 Tensor Core GPU datasheet (tensor figures there are with sparsity: halved)";

constexpr std::string_view kTuring =
    "NVIDIA Turing GPU architecture whitepaper (reference clock; products summed into fp32)";

/// A device and the words its driver name must all have. The first match counts, so a variant
/// stands before the plain name.
struct Entry {
  DeviceSpec spec;
  std::array<std::string_view, 3> words;
};

constexpr std::array kDevices = std::to_array<Entry>({
    {{"H200 NVL", "9.0", 132, 4.8e12, kH100Nvl,
      "NVIDIA H200 datasheet (tensor figures there are with sparsity: halved)"},
     {"h200", "nvl", ""}},
    {{"H200 SXM", "9.0", 132, 4.8e12, kH100Sxm,
      "NVIDIA H200 datasheet (tensor figures there are with sparsity: halved)"},
     {"h200", "", ""}},
    {{"GH200", "9.0", 132, 4.0e12, kH100Sxm,
      "NVIDIA GH200 datasheet, HBM3 model (tensor figures there are with sparsity: halved)"},
     {"gh200", "", ""}},
    {{"H100 PCIe", "9.0", 114, 2.039e12, kH100Pcie, kHopper}, {"h100", "pcie", ""}},
    {{"H100 NVL", "9.0", 132, 3.938e12, kH100Nvl, kHopper}, {"h100", "nvl", ""}},
    {{"H100 SXM", "9.0", 132, 3.35e12, kH100Sxm, kHopper}, {"h100", "", ""}},
    {{"GB200", "10.0", 148, 8.0e12, kGb200,
      "NVIDIA Blackwell architecture technical brief, GB200, dense"},
     {"gb200", "", ""}},
    {{"B200", "10.0", 148, 7.7e12, kB200,
      "NVIDIA Blackwell architecture technical brief, HGX B200, dense"},
     {"b200", "", ""}},
    {{"A100 80GB PCIe", "8.0", 108, 1.935e12, kA100, "NVIDIA A100 datasheet"},
     {"a100", "80gb", "pcie"}},
    {{"A100 SXM 80GB", "8.0", 108, 2.039e12, kA100, "NVIDIA A100 datasheet"}, {"a100", "80gb", ""}},
    {{"A100 40GB", "8.0", 108, 1.555e12, kA100, "NVIDIA A100 datasheet"}, {"a100", "", ""}},
    {{"V100 SXM2", "7.0", 80, 0.9e12, kV100, "NVIDIA V100 datasheet"}, {"v100", "", ""}},
    {{"T4", "7.5", 40, 0.32e12, kT4, "NVIDIA T4 datasheet"}, {"t4", "", ""}},
    {{"GeForce RTX 2060 SUPER", "7.5", 34, 0.448e12, kRtx2060Super, kTuring},
     {"2060", "super", ""}},
    {{"GeForce RTX 2060", "7.5", 30, 0.336e12, kRtx2060, kTuring}, {"2060", "", ""}},
    {{"GeForce RTX 2070 SUPER", "7.5", 40, 0.448e12, kRtx2070Super, kTuring},
     {"2070", "super", ""}},
    {{"GeForce RTX 2070", "7.5", 36, 0.448e12, kRtx2070, kTuring}, {"2070", "", ""}},
    {{"GeForce RTX 2080 Ti", "7.5", 68, 0.616e12, kRtx2080Ti, kTuring}, {"2080", "ti", ""}},
    {{"GeForce RTX 2080 SUPER", "7.5", 48, 0.496e12, kRtx2080Super, kTuring},
     {"2080", "super", ""}},
    {{"GeForce RTX 2080", "7.5", 46, 0.448e12, kRtx2080, kTuring}, {"2080", "", ""}},
    {{"TITAN RTX", "7.5", 72, 0.672e12, kTitanRtx, kTuring}, {"titan", "rtx", ""}},
    {{"RTX A6000", "8.6", 84, 0.768e12, kA6000, "NVIDIA RTX A6000 datasheet"}, {"a6000", "", ""}},
    {{"A40", "8.6", 84, 0.696e12, kA40, "NVIDIA A40 datasheet"}, {"a40", "", ""}},
    {{"A10", "8.6", 72, 0.6e12, kA10, "NVIDIA A10 datasheet"}, {"a10", "", ""}},
    {{"L40S", "8.9", 142, 0.864e12, kL40S, "NVIDIA L40S datasheet"}, {"l40s", "", ""}},
    {{"L40", "8.9", 142, 0.864e12, kL40, "NVIDIA L40 datasheet"}, {"l40", "", ""}},
    {{"L4", "8.9", 58, 0.3e12, kL4, "NVIDIA L4 datasheet"}, {"l4", "", ""}},
    {{"GeForce RTX 3070 Ti", "8.6", 48, 0.608e12, kRtx3070Ti,
      "NVIDIA Ampere GA102 whitepaper: cores, clock and rates of GA104"},
     {"3070", "ti", ""}},
    {{"GeForce RTX 3090", "8.6", 82, 0.936e12, kRtx3090, "NVIDIA Ampere GA102 whitepaper"},
     {"3090", "", ""}},
    {{"GeForce RTX 4090", "8.9", 128, 1.008e12, kRtx4090, "NVIDIA Ada GPU architecture whitepaper"},
     {"4090", "", ""}},
    {{"GeForce RTX 5090", "12.0", 170, 1.792e12, kRtx5090,
      "NVIDIA RTX Blackwell GPU architecture whitepaper"},
     {"5090", "", ""}},
});

constexpr auto kSpecs = [] {
  std::array<DeviceSpec, kDevices.size()> specs{};
  for (std::size_t i = 0; i < specs.size(); ++i) specs[i] = kDevices[i].spec;
  return specs;
}();

constexpr std::array kTypes = {MathType::fp64, MathType::fp64_tensor, MathType::fp32,
                               MathType::tf32, MathType::fp16,        MathType::bf16,
                               MathType::fp8,  MathType::int8};

/// "NVIDIA A100-SXM4-80GB" as nvidia, a100, sxm4, 80gb: an A10 is not part of an A100, nor an
/// H200 of a GH200.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      words.back() += static_cast<char>(std::tolower(byte));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

}  // namespace

std::string_view to_string(MathType type) {
  switch (type) {
    case MathType::fp64:
      return "fp64";
    case MathType::fp64_tensor:
      return "fp64_tensor";
    case MathType::fp32:
      return "fp32";
    case MathType::tf32:
      return "tf32";
    case MathType::fp16:
      return "fp16";
    case MathType::bf16:
      return "bf16";
    case MathType::fp8:
      return "fp8";
    case MathType::int8:
      return "int8";
  }
  return "unknown";
}

Result<MathType> parse_math_type(std::string_view name) {
  for (const MathType type : kTypes) {
    if (to_string(type) == name) return type;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("no number format '{}': fp64, fp64_tensor, fp32, tf32, fp16, bf16, fp8 "
                          "or int8",
                          name));
}

const DensePeak* DeviceSpec::find(MathType type) const {
  const auto found = std::ranges::find(peaks, type, &DensePeak::type);
  return found == peaks.end() ? nullptr : &*found;
}

std::optional<double> DeviceSpec::datasheet_peak(MathType type) const {
  const DensePeak* peak = find(type);
  if (peak == nullptr) return std::nullopt;
  return peak->datasheet_flop_per_s;
}

std::optional<double> DeviceSpec::peak_at(MathType type, double hz) const {
  const DensePeak* peak = find(type);
  if (peak == nullptr) return std::nullopt;
  return peak->flop_per_sm_cycle * sm_count * hz;
}

std::span<const DeviceSpec> known_devices() {
  return kSpecs;
}

const DeviceSpec* find_device(std::string_view driver_name) {
  const std::vector<std::string> words = words_of(driver_name);
  for (std::size_t i = 0; i < kDevices.size(); ++i) {
    const bool all = std::ranges::all_of(kDevices[i].words, [&words](std::string_view word) {
      return word.empty() || std::ranges::find(words, word) != words.end();
    });
    if (all) return &kSpecs[i];
  }
  return nullptr;
}

Table device_table() {
  Table table{.name = "devices",
              .title = "Dense peaks of known devices",
              .columns = {{"device", "Device"},
                          {"compute_capability", "CC"},
                          {"sm_count", "SMs", ColumnType::integer},
                          {"memory_bytes_per_s", "Memory", ColumnType::bytes_per_second}}};
  for (const MathType type : kTypes) {
    table.columns.emplace_back(fmt::format("{}_flop_per_s", to_string(type)),
                               std::string(to_string(type)), ColumnType::flop_per_second);
  }
  table.columns.emplace_back("source", "Source");
  for (const DeviceSpec& device : kSpecs) {
    std::vector<Cell> row = {device.name, device.compute_capability,
                             static_cast<std::int64_t>(device.sm_count), device.bytes_per_s};
    for (const MathType type : kTypes) row.emplace_back(device.datasheet_peak(type));
    row.emplace_back(device.source);
    table.add_row(std::move(row));
  }
  table.notes.emplace_back("Dense figures only: none counts products that sparsity skips.");
  return table;
}

}  // namespace assay::trace
