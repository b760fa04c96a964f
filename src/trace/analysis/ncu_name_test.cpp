#include "trace/analysis/ncu_name.hpp"

#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

// One kernel as PyTorch's profiler, Nsight Systems and Nsight Compute write it.
const std::string kKineto =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";
const std::string kNsys =
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, "
    "std::array<char *, (unsigned long)3>>(int, T2, T3)";
const std::string kOther =
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_mul<float>, "
    "std::array<char *, (unsigned long)3>>(int, T2, T3)";

bool regex_fits(const NcuName& name, const std::string& text) {
  return std::regex_search(text, std::regex(name.regex()));
}

TEST(NcuName, is_not_that_of_the_type_returned) {
  const std::string name =
      "std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, float>(T13)";
  const NcuName found(name, {name});
  EXPECT_NE(found.regex().find("kernel"), std::string::npos) << found.regex();
  EXPECT_EQ(found.regex().find("enable_if"), std::string::npos) << found.regex();
  EXPECT_TRUE(std::regex_search(name, std::regex(found.regex()))) << found.regex();
}

TEST(NcuName, fits_every_spelling_of_a_kernel_and_no_other_instance) {
  for (const std::string& from : {kKineto, kNsys}) {
    const NcuName name(from);
    EXPECT_EQ(name.base(), "demangled");
    for (const std::string& spelling : {kKineto, kNsys}) {
      EXPECT_TRUE(regex_fits(name, spelling)) << name.regex() << '\n' << spelling;
      EXPECT_TRUE(name.fits(spelling)) << spelling;
    }
    EXPECT_FALSE(regex_fits(name, kOther)) << name.regex();
    EXPECT_FALSE(name.fits(kOther));
  }
}

TEST(NcuName, asks_for_no_more_words_than_tell_it_from_the_others) {
  const NcuName name(kNsys, {kNsys, kOther, "void g<(int)4>(int)"});
  EXPECT_EQ(name.regex(), "\\bvectorized_elementwise_kernel<.*\\bCUDAFunctor_add\\b");
  EXPECT_TRUE(regex_fits(name, kKineto));
  EXPECT_FALSE(regex_fits(name, kOther));
  EXPECT_EQ(NcuName("void g<(int)4>(int)", {kNsys, kOther}).regex(), "\\bg(<|\\(|$)");
}

TEST(NcuName, tells_numbers_and_truths_apart) {
  const NcuName name("void f<(int)64, (bool)1>(T1 *)");
  EXPECT_TRUE(regex_fits(name, "void f<64, true>(float*)"));
  EXPECT_FALSE(regex_fits(name, "void f<64, false>(float*)")) << name.regex();
  EXPECT_FALSE(regex_fits(name, "void f<640, true>(float*)"));
  EXPECT_FALSE(name.fits("void f<64, false>(float*)"));
  EXPECT_FALSE(regex_fits(name, "void my_f<64, true>(float*)"));
}

TEST(NcuName, takes_no_number_of_a_lambda_for_an_argument) {
  const std::string wanted =
      "void at::native::elementwise_kernel<128, 4, "
      "at::native::nocast<copy_kernel()::{lambda()#3}>>(int)";
  const std::string other =
      "void at::native::elementwise_kernel<128, 2, "
      "at::native::nocast<copy_kernel()::{lambda()#4}>>(int)";
  const NcuName name(wanted, {wanted, other});
  EXPECT_TRUE(regex_fits(name,
                         "void at::native::elementwise_kernel<(int)128, (int)4, void "
                         "at::native::nocast<copy_kernel()::[lambda() (instance 3)]>>(int, T3)"))
      << name.regex();
  EXPECT_FALSE(regex_fits(name,
                          "void at::native::elementwise_kernel<(int)128, (int)2, void "
                          "at::native::nocast<copy_kernel()::[lambda() (instance 4)]>>(int, T3)"))
      << name.regex();
  EXPECT_FALSE(name.fits(other));
}

TEST(NcuName, of_a_plain_name_is_that_name) {
  const NcuName name("ampere_sgemm_128x64_nn");
  EXPECT_EQ(name.regex(), "^ampere_sgemm_128x64_nn$");
  EXPECT_FALSE(name.fits("ampere_sgemm_128x64_nn_splitk"));
  EXPECT_EQ(NcuName("_ZN3fooEv").base(), "mangled");
}

TEST(NcuName, of_a_function_without_template_arguments_fits_no_longer_name) {
  const NcuName name("ns::scale(float *, int)");
  EXPECT_TRUE(regex_fits(name, "ns::scale(float*, int)"));
  EXPECT_FALSE(regex_fits(name, "ns::scale_all(float*, int)"));
  EXPECT_FALSE(name.fits("ns::scale_all(float*, int)"));
}

}  // namespace
}  // namespace assay::trace
