// Sources that nobody writes, made to keep whoever reads them busy: a server reads them itself.
#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "simt/lexer.hpp"
#include "simt/split.hpp"
#include "simt/structure.hpp"
#include "simt/translate.hpp"
#include "simt/unsupported.hpp"

namespace assay::simt {
namespace {

class HostileSource : public ::testing::TestWithParam<std::string_view> {
 protected:
  static std::string repeated(std::string_view unit, std::size_t size) {
    std::string source;
    while (source.size() < size) source += unit;
    return source;
  }
};

TEST_P(HostileSource, is_read_in_seconds) {
  const std::string source = repeated(GetParam(), std::size_t{1} << 16U);
  const std::clock_t began = std::clock();
  (void)find_unsupported(source, "");
  (void)translate(source, {});
  (void)split(source, "hostile.cu");
  // Seconds under the address sanitizer; minutes where the work grows with the square.
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 30);
}

INSTANTIATE_TEST_SUITE_P(
    Repeated, HostileSource,
    ::testing::Values("a{}", "a{} b;", "namespace a{__global__ void f(){}",
                      "__global__ void f(){}\n", "f<<<", "f<<<(", "))<<<1>>>(", "f<a>(b)>",
                      "f<<<1,1>>>(", "__shared__ (", "__shared__ int x[", "__shared__ a,",
                      "a)__shared__ ", "extern __shared__ float a[];\n",
                      "extern __shared__ float a[];__device__ void g(){a;}\n",
                      "#if a\n__device__ int f(){\n#else\n__device__ int g(){\n#endif\n", "#if 1\n",
                      "#define a a\n", "#if (\n", "(", ")", ">>>", "template<", "struct a{", "R\"",
                      "R\"(", "/*", "\"", "=", "\\\n", "asm(\"x\");", "asm ", "asm volatile ",
                      "asm(\"{add.u32 %0, %0, 1;\":\"+r\"(x));", "volatile ",
                      "__device__ void f(volatile int* s) { s[0] = s[0 ",
                      "__device__ void f(volatile int* s) { s[0] += s[1]; }",

                      "__device__ void f(){clock();}"));

TEST(HostileSource, names_of_kernels_do_not_outgrow_it) {
  std::string source;
  for (int i = 0; i < 5'000; ++i) source += "namespace name{__global__ void f(){}";
  std::size_t letters = 0;
  for (const KernelDefinition& kernel : find_structure(lex(source)).kernels) {
    letters += kernel.qualified_name.size();
  }
  EXPECT_LT(letters, std::size_t{32} << 20U);
}

}  // namespace
}  // namespace assay::simt
