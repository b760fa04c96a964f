#include "model/kernel_choice.hpp"

#include <string>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(KernelChoice, an_expression_stands_anywhere_in_a_name) {
  EXPECT_TRUE(has_expression("vectorized_gemm_kernel", "gemm"));
  EXPECT_TRUE(has_expression("reduce_kernel", "^(reduce|gemm)_k"));
  EXPECT_FALSE(has_expression("vectorized_gemm_kernel", "^gemm"));
  EXPECT_FALSE(has_expression("gemm", "(gemm"));
}

TEST(KernelChoice, says_what_is_wrong_with_an_expression) {
  EXPECT_FALSE(mistake_in_expression("gemm.*[0-9]+$"));
  EXPECT_TRUE(mistake_in_expression(""));
  EXPECT_TRUE(mistake_in_expression(std::string(201, 'a')));
  EXPECT_EQ(mistake_in_expression("a{1000}"),
            "may have letters, digits and _.*+?^$|()[]-, not '{'");
  EXPECT_TRUE(mistake_in_expression("(a)\\1"));
  EXPECT_TRUE(mistake_in_expression("a b"));
  EXPECT_EQ(mistake_in_expression("(a")->find("is no regular expression"), 0U);
}

TEST(KernelChoice, no_expression_takes_long) {
  const std::string name(5000, 'a');
  EXPECT_FALSE(has_expression(name, "(a+)+b$"));
  EXPECT_FALSE(has_expression(name, "(a*)*(a*)*(a*)*b"));
}

}  // namespace
}  // namespace assay
