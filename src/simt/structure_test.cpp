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

TEST(Structure, an_operator_of_any_name_is_a_function) {
  for (const std::string_view name :
       {"+=", "=", "==", "<", "<=", "<<", ">", ">>", "->", "()", "[]", "!", ",", " float"}) {
    const std::string source =
        "V operator" + std::string(name) + "(V a, V b) { return a; }\n__global__ void k(int n) {}";
    EXPECT_EQ(kernel_names(source), Names{"k"}) << name;
    EXPECT_EQ(find_structure(lex(source)).functions.size(), 2U) << name;
  }
}

TEST(Structure, takes_the_branches_of_a_conditional_as_alternatives) {
  EXPECT_EQ(
      kernel_names("#if A\n__global__ void k(int) {\n#else\n__global__ void k(long) {\n#endif\n}\n"
                   "__global__ void after() {}"),
      (Names{"k", "k", "after"}));
}

TEST(Structure, finds_a_kernel_of_each_branch_by_its_own_name) {
  EXPECT_EQ(kernel_names("#ifdef OLD\n__global__ void z(int* y) { *y = 1; }\n"
                         "#elif 0\n__global__ void m(int* y) {}\n"
                         "#else\n__global__ void f(int* y) {}\n#endif\n"
                         "__global__ void after() {}"),
            (Names{"z", "m", "f", "after"}));
  EXPECT_EQ(kernel_names("#ifdef OLD\n__global__ void z() {}\n#else\n#define NEW 1\n#endif\n"
                         "__global__ void after() {}"),
            (Names{"z", "after"}));
}

TEST(Structure, marks_the_kernels_that_conditionals_leave_out) {
  const auto kept = [](std::string_view source, std::string_view before) {
    Names names;
    for (const auto& kernel : find_structure(lex(source), lex(before)).kernels) {
      if (kernel.is_kept) names.push_back(kernel.name);
    }
    return names;
  };
  constexpr std::string_view kBranches =
      "#define OLD (0)\n#if OLD\n__global__ void z() {}\n#endif\n"
      "#if __CUDA_ARCH__ >= 900\n__global__ void n() {}\n#else\n__global__ void f() {}\n#endif\n";
  EXPECT_EQ(kept(kBranches, ""), Names{"f"});
  EXPECT_EQ(kept(kBranches, "#define __CUDA_ARCH__ 900\n"), Names{"n"});
}

TEST(Structure, a_heading_goes_on_from_the_branch_that_is_kept) {
  const auto found = find_structure(
      lex("#define A 1\ntemplate <class T>\n#if A\n__global__ void a(T* x, int n)\n#else\n"
          "__global__ void b(T* x)\n#endif\n{\n}\n"
          "#if A\n__global__ void c(int) {\n#else\n__global__ void d(long) {\n#endif\n}\n"
          "#ifdef WRAPPED\nnamespace wrapped {\n#endif\n__global__ void e() {}\n"
          "#ifdef WRAPPED\n}\n#endif\n"));
  ASSERT_EQ(found.kernels.size(), 4U);
  EXPECT_EQ(found.kernels[0].name, "a");
  EXPECT_TRUE(found.kernels[0].is_template);
  EXPECT_EQ(found.kernels[0].parameter_count, 2U);
  EXPECT_EQ(found.kernels[1].name, "c");
  EXPECT_NE(found.kernels[1].body_end, 0U);
  EXPECT_EQ(found.kernels[2].name, "d");
  EXPECT_EQ(found.kernels[2].body_end, 0U);
  EXPECT_EQ(found.kernels[3].qualified_name, "e");
}

TEST(Structure, a_declaration_begins_after_the_directives_before_it) {
  const auto tokens = lex("#include <a.h>\n#if X\nvoid f() {}\n#else\nint g() {}\n#endif\n");
  const auto found = find_structure(tokens);
  ASSERT_EQ(found.functions.size(), 2U);
  EXPECT_TRUE(tokens[found.functions[0].declaration].is("void"));
  EXPECT_TRUE(tokens[found.functions[1].declaration].is("int"));
}

TEST(Structure, a_condition_of_endless_brackets_is_given_up) {
  const std::string source = "#if " + std::string(1'000'000, '(') + "1\n__global__ void z() {}\n" +
                             "#elif " + std::string(1'000'000, '!') + "1\n#endif\n";
  const auto found = find_structure(lex(source));
  ASSERT_EQ(found.kernels.size(), 1U);
  EXPECT_FALSE(found.kernels[0].is_kept);
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
