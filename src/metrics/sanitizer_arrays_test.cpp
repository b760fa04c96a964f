#include "metrics/sanitizer_arrays.hpp"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "model/finding.hpp"

namespace assay::metrics {
namespace {

constexpr std::string_view kPrinted =
    "hello\nassay-array 0x1000 400 4 x\nassay-array 0x2000 800 8 the y\nassay-array 0x9 nonsense\n";

Finding at(std::uint64_t address, std::string_view message = "Invalid __global__ read") {
  std::vector<Finding> findings{{.kind = "out_of_bounds", .message = std::string(message)}};
  findings[0].address = address;
  name_arrays(kPrinted, findings);
  return findings[0];
}

TEST(SanitizerArrays, an_address_becomes_the_index_in_the_nearest_array) {
  EXPECT_EQ(at(0x1000 + 400).array, "x");
  EXPECT_EQ(at(0x1000 + 400).index, 100);
  EXPECT_EQ(at(0x1000 - 4).index, -1);
  EXPECT_EQ(at(0x2000 - 1).array, "the y");
  EXPECT_EQ(at(0x2000 - 1).index, -1);
  EXPECT_EQ(at(0x2000 + 17).index, 2);
}

TEST(SanitizerArrays, an_address_far_from_all_belongs_to_none) {
  EXPECT_EQ(at(0x7fff'0000'0000).array, "");
  EXPECT_FALSE(at(0x7fff'0000'0000).index);
}

TEST(SanitizerArrays, shared_memory_is_no_array_of_the_call) {
  EXPECT_EQ(at(0x1000, "Invalid __shared__ read").array, "");
}

TEST(SanitizerArrays, without_the_runners_lines_nothing_is_said) {
  std::vector<Finding> findings{{.kind = "out_of_bounds", .message = "__global__"}};
  findings[0].address = 0x1000;
  name_arrays("assay-array 0x1000 4", findings);
  EXPECT_EQ(findings[0].array, "");
}

}  // namespace
}  // namespace assay::metrics
