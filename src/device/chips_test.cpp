#include "device/chips.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay::device {
namespace {

TEST(Chips, are_told_by_the_capability) {
  EXPECT_EQ(chips_with({9, 0}), std::vector<std::string>{"GH100"});
  EXPECT_EQ(chips_with({8, 6}).front(), "GA102");
}

TEST(Chips, are_unknown_where_the_gpu_is_newer_or_none) {
  EXPECT_TRUE(chips_with({99, 0}).empty());
  EXPECT_TRUE(chips_with({}).empty());
}

}  // namespace
}  // namespace assay::device
