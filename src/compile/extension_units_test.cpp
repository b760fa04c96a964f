#include "compile/extension_units.hpp"

#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/extension.hpp"

namespace assay::compile {
namespace {

constexpr const char* kDeclares = R"(
#include <torch/extension.h>
std::vector<torch::Tensor> twice(torch::Tensor x, double eps = 1e-5);  // { not a body }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("twice", torch::wrap_pybind_function(twice), "twice");
}
)";

ExtensionCall call_of(const char* host) {
  return {.key = {},
          .name = "twice",
          .sources = {{.name = "main.cpp", .text = host},
                      {.name = "cuda.cu", .text = "void f() {}", .is_cuda = true}},
          .cflags = {},
          .cuda_cflags = {}};
}

TEST(ExtensionUnits, what_load_inline_makes_of_declarations_only_declares) {
  EXPECT_TRUE(only_declares(kDeclares));
  EXPECT_TRUE(only_declares(""));
}

TEST(ExtensionUnits, modules_without_an_end_are_not_looked_through_again_and_again) {
  std::string source;
  for (int i = 0; i < 60'000; ++i) source += "PYBIND11_MODULE(";
  const std::clock_t began = std::clock();
  EXPECT_FALSE(only_declares(source));
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 5);
}

TEST(ExtensionUnits, a_kernel_bound_to_python_is_found) {
  ExtensionCall call = call_of(kDeclares);
  EXPECT_EQ(bound_kernel(call), std::nullopt);
  call.sources[1].text = "__global__ void twice(float* x) {}";
  EXPECT_EQ(bound_kernel(call), "twice");
  call.sources[0].text = "PYBIND11_MODULE(x, m) { m.def(\"other\", &launch); }";
  EXPECT_EQ(bound_kernel(call), std::nullopt);
  call.sources[1].text += "PYBIND11_MODULE(x, m) { m.def(\"twice\", &twice); }";
  EXPECT_EQ(bound_kernel(call), "twice");
}

TEST(ExtensionUnits, functions_classes_macros_and_broken_modules_are_more_than_declarations) {
  EXPECT_FALSE(only_declares("int f() { return 1; }"));
  EXPECT_FALSE(only_declares("struct S { int x; };"));
  EXPECT_FALSE(only_declares("#define N 4\nint f();"));
  EXPECT_FALSE(only_declares("PYBIND11_MODULE(x, m) {"));
  EXPECT_FALSE(only_declares("PYBIND11_MODULE {"));
  EXPECT_FALSE(only_declares("int f();\n#"));
}

TEST(ExtensionUnits, a_cuda_source_is_joined_with_the_declarations_of_what_it_defines) {
  EXPECT_TRUE(may_be_joined(call_of(kDeclares)));
  EXPECT_FALSE(may_be_joined(call_of("int f() { return 1; }")));
}

TEST(ExtensionUnits, nothing_else_is_joined) {
  ExtensionCall call = call_of(kDeclares);
  call.sources.push_back(call.sources.back());
  EXPECT_FALSE(may_be_joined(call));
  call.sources.resize(1);
  EXPECT_FALSE(may_be_joined(call));
}

TEST(ExtensionUnits, macros_among_the_flags_become_lines_of_source) {
  const std::vector<std::string> flags = {"-O3", "-DA", "-DB=4", "-D", "C(x)=x + 1", "-UD"};
  EXPECT_EQ(macros_of(flags), "#define A 1\n#define B 4\n#define C(x) x + 1\n#undef D\n");
  EXPECT_EQ(macros_of({}), "");
}

}  // namespace
}  // namespace assay::compile
