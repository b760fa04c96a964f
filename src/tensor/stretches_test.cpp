#include "tensor/stretches.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace assay::tensor {
namespace {

TEST(Stretches, cover_every_element_once) {
  for (const std::size_t elements :
       {std::size_t{0}, std::size_t{1}, kStretch, kStretch + 1, 3 * kStretch - 1}) {
    std::vector<int> seen(elements, 0);
    std::vector<int> stretches(stretch_count(elements), 0);
    in_stretches(elements, [&](std::size_t stretch, std::size_t from, std::size_t to) {
      ++stretches[stretch];
      for (std::size_t i = from; i < to; ++i) ++seen[i];
    });
    EXPECT_EQ(seen, std::vector<int>(elements, 1));
    EXPECT_EQ(stretches, std::vector<int>(stretches.size(), 1));
  }
}

}  // namespace
}  // namespace assay::tensor
