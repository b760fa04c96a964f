#include "model/io_contract.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "model/dtype.hpp"

namespace assay {
namespace {

Argument tensor(Role role) {
  return {.name = "t", .value = TensorArg{.shape = {4}, .content = {}, .role = role}};
}

TEST(IoContract, outputs_are_the_marked_tensors_in_order) {
  const IoContract contract{
      .args = {tensor(Role::inout), tensor(Role::input), tensor(Role::output)}, .launch = {}};
  EXPECT_EQ(output_positions(contract), (std::vector<std::size_t>{0, 2}));
}

TEST(IoContract, every_tensor_is_an_output_where_none_is_marked) {
  const IoContract contract{.args = {tensor(Role::input),
                                     {.name = "n", .value = ScalarArg{std::int64_t{4}}},
                                     tensor(Role::input)},
                            .launch = {}};
  EXPECT_EQ(output_positions(contract), (std::vector<std::size_t>{0, 2}));
}

TEST(Shape, without_dimensions_holds_one_element) {
  EXPECT_EQ(element_count({}), 1U);
  EXPECT_EQ(element_count({3, 0, 2}), 0U);
  EXPECT_EQ((TensorArg{.shape = {3, 5}, .dtype = DType::float16, .content = {}}.byte_size()), 30U);
}

}  // namespace
}  // namespace assay
