#include "base/first_of.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(FirstOf, many_names_are_cut_and_counted) {
  EXPECT_EQ(first_of({}), "");
  EXPECT_EQ(first_of(std::vector<std::string>{"a", "b"}), "a, b");
  EXPECT_EQ(first_of(std::vector<std::string>(1000, "x")), "x, x, x, x, x, x and 994 more");
}

}  // namespace
}  // namespace assay
