#include "metrics/nearest_names.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearestNames, come_nearest_first) {
  const std::vector<std::string> known{"dram__bytes", "dram__bytes_read", "sm__throughput"};
  EXPECT_THAT(nearest_names("dram_bytes", known), ElementsAre("dram__bytes", "dram__bytes_read"));
  EXPECT_THAT(nearest_names("sm__troughput", known, 1), ElementsAre("sm__throughput"));
}

TEST(NearestNames, are_none_where_nothing_is_like_it) {
  EXPECT_THAT(nearest_names("xyz", std::vector<std::string>{"sm__throughput"}), IsEmpty());
  EXPECT_THAT(nearest_names("xyz", {}), IsEmpty());
}

}  // namespace
}  // namespace assay::metrics
