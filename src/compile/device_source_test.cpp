#include "compile/device_source.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace assay::compile {
namespace {

TEST(DeviceSource, host_functions_go_and_the_rest_keeps_its_line) {
  const std::string source =
      "__device__ float twice(float x) { return 2 * x; }\n"
      "__global__ void k(float* x) { x[0] = twice(x[0]); }\n"
      "template <class T>\n"
      "void launch(T* x) {\n  k<<<1, 1>>>(x);\n}\n"
      "int main() { return 0; }\n"
      "__global__ void last(int* y) {}\n";
  const std::string left = without_host_functions(source);
  EXPECT_EQ(left.size(), source.size());
  EXPECT_EQ(std::ranges::count(left, '\n'), std::ranges::count(source, '\n'));
  EXPECT_EQ(left.find("main"), std::string::npos);
  EXPECT_EQ(left.find("launch"), std::string::npos);
  EXPECT_EQ(left.find("template"), std::string::npos);
  EXPECT_NE(left.find("twice(x[0])"), std::string::npos);
  EXPECT_EQ(left.find("__global__ void last"), source.find("__global__ void last"));
}

TEST(DeviceSource, constexpr_functions_and_broken_source_stay) {
  const std::string source = "constexpr int four() { return 4; }\nint open( {\n";
  EXPECT_EQ(without_host_functions(source), source);
}

}  // namespace
}  // namespace assay::compile
