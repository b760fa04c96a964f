#include "runner/marshal.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <variant>

#include <assay/simt_abi.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/io_contract.hpp"
#include "model/runner_protocol.hpp"
#include "tensor/half.hpp"

namespace assay::runner {
namespace {

using Value = std::variant<ArenaPart, ScalarArg>;

assay_simt_param param(assay_simt_kind kind, std::uint32_t size) {
  return {.kind = kind, .size = size, .align = size};
}

template <class T>
T passed(const Value& value, const assay_simt_param& to, std::byte* arena = nullptr) {
  auto arguments = Arguments::marshal(std::array{value}, std::array{to}, arena).value();
  T result;
  std::memcpy(static_cast<void*>(&result), arguments.pointers()[0], sizeof result);
  return result;
}

std::string refused(const Value& value, const assay_simt_param& to) {
  const auto arguments = Arguments::marshal(std::array{value}, std::array{to}, nullptr);
  return arguments ? "" : arguments.error().message();
}

TEST(Marshal, float_parameter_receives_2_5_as_2_5) {
  EXPECT_EQ(passed<float>(ScalarArg(2.5), param(ASSAY_SIMT_FLOAT, 4)), 2.5F);
  EXPECT_EQ(passed<double>(ScalarArg(2.5), param(ASSAY_SIMT_FLOAT, 8)), 2.5);
  EXPECT_EQ(passed<std::uint16_t>(ScalarArg(2.5), param(ASSAY_SIMT_HALF, 2)),
            tensor::to_float16(2.5));
  EXPECT_EQ(passed<std::uint16_t>(ScalarArg(2.5), param(ASSAY_SIMT_BFLOAT16, 2)),
            tensor::to_bfloat16(2.5));
}

TEST(Marshal, integers_take_the_width_and_sign_of_the_parameter) {
  EXPECT_EQ(passed<std::int8_t>(ScalarArg(std::int64_t{-5}), param(ASSAY_SIMT_SIGNED, 1)), -5);
  EXPECT_EQ(
      passed<std::uint32_t>(ScalarArg(std::int64_t{4000000000}), param(ASSAY_SIMT_UNSIGNED, 4)),
      4000000000U);
  EXPECT_EQ(passed<std::int64_t>(ScalarArg(std::int64_t{-1}), param(ASSAY_SIMT_SIGNED, 8)), -1);
  EXPECT_EQ(passed<float>(ScalarArg(std::int64_t{3}), param(ASSAY_SIMT_FLOAT, 4)), 3.0F);
  EXPECT_EQ(passed<std::int32_t>(ScalarArg(4.0), param(ASSAY_SIMT_SIGNED, 4)), 4);
  EXPECT_EQ(passed<bool>(ScalarArg(true), param(ASSAY_SIMT_BOOL, 1)), true);
}

TEST(Marshal, tensor_becomes_a_pointer_into_the_arena) {
  std::array<std::byte, 64> arena{};
  EXPECT_EQ(passed<std::byte*>(ArenaPart{.name = "x", .offset = 16}, param(ASSAY_SIMT_POINTER, 8),
                               arena.data()),
            arena.data() + 16);
}

TEST(Marshal, value_that_does_not_fit_is_refused_with_the_reason) {
  EXPECT_NE(refused(ScalarArg(2.5), param(ASSAY_SIMT_SIGNED, 4)).find("2.5"), std::string::npos);
  EXPECT_NE(refused(ScalarArg(std::int64_t{300}), param(ASSAY_SIMT_UNSIGNED, 1)).find("8-bit"),
            std::string::npos);
  EXPECT_NE(refused(ScalarArg(std::int64_t{-1}), param(ASSAY_SIMT_UNSIGNED, 4)), "");
  EXPECT_NE(refused(ArenaPart{.name = "x"}, param(ASSAY_SIMT_SIGNED, 4)).find("tensor 'x'"),
            std::string::npos);
  EXPECT_NE(refused(ScalarArg(1.0), param(ASSAY_SIMT_POINTER, 8)), "");
  EXPECT_NE(refused(ScalarArg(std::string("s")), param(ASSAY_SIMT_SIGNED, 4)), "");
  EXPECT_NE(refused(ScalarArg(1.0), param(ASSAY_SIMT_STRUCT, 16)), "");
}

TEST(Marshal, wrong_number_of_arguments_is_refused) {
  const auto arguments = Arguments::marshal({}, std::array{param(ASSAY_SIMT_SIGNED, 4)}, nullptr);
  EXPECT_EQ(arguments.error().message(), "the kernel takes 1 arguments, the contract gives 0");
}

}  // namespace
}  // namespace assay::runner
