#include "judge/mismatches.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/request.hpp"
#include "tensor/stretches.hpp"

namespace assay::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class T>
OutputView view_of(const std::vector<T>& values, DType dtype) {
  return {.name = "y",
          .shape = {static_cast<std::int64_t>(values.size())},
          .dtype = dtype,
          .bytes = std::as_bytes(std::span(values))};
}

TEST(Mismatches, are_found_wherever_they_are) {
  const std::vector<std::int32_t> want(1000, 7);
  std::vector<std::int32_t> got = want;
  const Limit exact{Tolerance{}};
  EXPECT_THAT(mismatches(view_of(got, DType::int32), view_of(want, DType::int32), exact),
              IsEmpty());
  got[0] = got[500] = got[999] = 8;
  EXPECT_THAT(mismatches(view_of(got, DType::int32), view_of(want, DType::int32), exact),
              ElementsAre(0, 500, 999));
  EXPECT_FALSE(agrees_at(view_of(got, DType::int32), view_of(want, DType::int32), exact, 500));
  EXPECT_TRUE(agrees_at(view_of(got, DType::int32), view_of(want, DType::int32), exact, 501));
}

TEST(Mismatches, are_found_in_every_stretch_of_a_large_answer) {
  const std::vector<std::int32_t> want(3 * tensor::kStretch + 5, 7);
  std::vector<std::int32_t> got = want;
  got[tensor::kStretch - 1] = got[tensor::kStretch] = got.back() = 8;
  EXPECT_THAT(mismatches(view_of(got, DType::int32), view_of(want, DType::int32), Tolerance{}),
              ElementsAre(tensor::kStretch - 1, tensor::kStretch, want.size() - 1));
}

TEST(Mismatches, keep_to_what_is_known_of_each_element) {
  const std::vector<float> want = {1, 1, 1};
  const std::vector<float> got = {1, 1.5F, 1.5F};
  const std::vector<double> precise = {1, 1, 1.25};  // the last one's own error is large
  Limit limit{Tolerance{.atol = 1e-3, .rtol = 0}};
  limit.precise = std::as_bytes(std::span(precise));
  EXPECT_THAT(mismatches(view_of(got, DType::float32), view_of(want, DType::float32), limit),
              ElementsAre(1));
}

}  // namespace
}  // namespace assay::judge
