#include "model/kernel_name.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ShortKernelName, is_the_bare_identifier) {
  EXPECT_EQ(short_kernel_name("void at::native::reduce_kernel<512, 1, Op<float>>(Op<float>)"),
            "reduce_kernel");
  EXPECT_EQ(short_kernel_name("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::cat<float>(float*)"), "cat");
  EXPECT_EQ(short_kernel_name("void at::native::<unnamed>::cat<float>(float*)"), "cat");
  EXPECT_EQ(short_kernel_name("ncclKernel_AllReduce(ncclDevComm*, unsigned long)"),
            "ncclKernel_AllReduce");
}

TEST(ShortKernelName, is_not_that_of_what_is_returned_or_of_the_class_around_it) {
  EXPECT_EQ(short_kernel_name("std::enable_if<!T7, void>::type internal::gemvx::kernel<int, "
                              "cublasGemvParamsEx<int, A<const B>>>(T13)"),
            "kernel");
  EXPECT_EQ(short_kernel_name("enable_if<!T7, void>::type kernel<int, 0, 7>(T13)"), "kernel");
  EXPECT_EQ(short_kernel_name("void Layer<float, 4>::run<int>(float*)"), "run");
  EXPECT_EQ(short_kernel_name("void f<int> (int)"), "f");
}

TEST(ShortKernelName, of_what_it_cannot_read_is_the_whole) {
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name("(("), "((");
}

TEST(OuterNamespace, is_the_first_of_the_name_itself) {
  EXPECT_EQ(outer_namespace("void at::native::reduce_kernel<512, cub::Sum>(cub::Sum)"), "at");
  EXPECT_EQ(outer_namespace("void scale<at::Half>(at::Half*)"), "");
  EXPECT_EQ(outer_namespace("void (anonymous namespace)::cat<float>(float*)"), "");
  EXPECT_EQ(outer_namespace("void <unnamed>::cat<float>(float*)"), "");
  EXPECT_EQ(outer_namespace(""), "");
}

TEST(ComparableKernelName, is_the_same_for_the_spellings_of_two_demanglers) {
  EXPECT_EQ(
      comparable_kernel_name("void at::native::<unnamed>::soft<float, (int)9, (bool)1>(T2 *, int)"),
      comparable_kernel_name(
          "void at::native::(anonymous namespace)::soft<float, 9, true>(float*, int)"));
  EXPECT_EQ(comparable_kernel_name("void f<std::array<char *, (unsigned long)3>>(int, T2)"),
            comparable_kernel_name("void f<std::array<char*, 3ul> >(int, std::array<char*, 3ul>)"));
}

TEST(ComparableKernelName, keeps_what_differs) {
  EXPECT_NE(comparable_kernel_name("void f<(int)4>(int)"),
            comparable_kernel_name("void f<(int)8>(int)"));
  EXPECT_NE(comparable_kernel_name("f<unsigned int>()"), comparable_kernel_name("f<int>()"));
}

}  // namespace
}  // namespace assay
