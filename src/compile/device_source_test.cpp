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

TEST(DeviceSource, host_functions_go_from_each_branch_and_leave_the_directives) {
  EXPECT_EQ(without_host_functions("#include <stdio.h>\nint f() { return 1; }\n#ifdef A\n"
                                   "int g() { return 1; }\n#else\nint h() { return 2; }\n#endif\n"
                                   "__global__ void k() {}\n"),
            "#include <stdio.h>\n                     \n#ifdef A\n"
            "                     \n#else\n                     \n#endif\n"
            "__global__ void k() {}\n");
}

TEST(DeviceSource, constexpr_functions_and_broken_source_stay) {
  const std::string source = "constexpr int four() { return 4; }\nint open( {\n";
  EXPECT_EQ(without_host_functions(source), source);
}

}  // namespace
}  // namespace assay::compile
