#include "simt/structure.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "simt/lexer.hpp"

namespace assay::simt {
namespace {

std::vector<std::string> kernel_names(std::string_view source) {
  std::vector<std::string> names;
  for (const auto& kernel : find_structure(lex(source)).kernels)
    names.push_back(kernel.qualified_name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Structure, finds_kernels_in_any_order_and_linkage) {
  EXPECT_EQ(kernel_names("__global__ void a(int* x) { *x = 1; }\n"
                         "extern \"C\" __global__ void b() {}\n"
                         "extern \"C\" { static __global__ void c() {} }\n"
                         "void __global__ d() {}"),
            (Names{"a", "b", "c", "d"}));
}

TEST(Structure, qualifies_a_kernel_with_its_namespaces) {
  EXPECT_EQ(kernel_names("namespace x::y { namespace { __global__ void k() { if (1) {} } } }\n"
                         "__global__ void top() {}"),
            (Names{"x::y::k", "top"}));
}

TEST(Structure, looks_past_launch_bounds_for_the_name) {
  EXPECT_EQ(kernel_names("__global__ void __launch_bounds__(256, 2) k(float* p) {}\n"
                         "__global__ __launch_bounds__(128) void m() {}"),
            (Names{"k", "m"}));
}

TEST(Structure, tells_templates_from_plain_kernels) {
  const auto found =
      find_structure(lex("template <class T, int N = (3 > 2)>\n"
                         "__global__ void t(T* x) {}\n__global__ void p() {}"));
  ASSERT_EQ(found.kernels.size(), 2U);
  EXPECT_TRUE(found.kernels[0].is_template);
  EXPECT_EQ(found.kernels[0].line, 2U);
  EXPECT_FALSE(found.kernels[1].is_template);
}

TEST(Structure, ignores_declarations_without_a_body) {
  EXPECT_EQ(kernel_names("__global__ void later(int); __global__ void later(int) {}"),
            (Names{"later"}));
}

TEST(Structure, is_not_led_astray_by_classes_and_initialisers) {
  EXPECT_EQ(kernel_names("struct S { int a[2] = {1, 2}; S() : a{3, 4} {} void f() {} };\n"
                         "enum class E { x, y };\nint table[] = {1, 2};\n"
                         "S make(struct S s) { return s; }\n__global__ void k() {}"),
            (Names{"k"}));
}

TEST(Structure, takes_the_branches_of_a_conditional_as_alternatives) {
  EXPECT_EQ(
      kernel_names("#if A\n__global__ void k(int) {\n#else\n__global__ void k(long) {\n#endif\n}\n"
                   "__global__ void after() {}"),
      (Names{"k", "k", "after"}));
}

TEST(Structure, accepts_a_brace_too_many) {
  EXPECT_EQ(kernel_names("} __global__ void k() {} }"), (Names{"k"}));
}

TEST(Structure, brackets_lead_deeper_and_back_and_arrows_nowhere) {
  int depth = 0;
  std::vector<int> depths;
  for (const Token& token : lex("a<(b[{c}])> d->e")) {
    depth += deepening(token);
    depths.push_back(depth);
  }
  EXPECT_EQ(depths, (std::vector{0, 1, 2, 2, 3, 4, 4, 3, 2, 1, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace assay::simt
