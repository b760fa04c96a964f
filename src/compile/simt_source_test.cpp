#include "compile/simt_source.hpp"

#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"

namespace assay::compile {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwoKernels = R"(
__global__ void first(float* x) { x[0] = 1; }
namespace ns {
__global__ void second(float* x) { x[0] = 2; }
}
)";
constexpr const char* kTemplate = R"(
template <class T, int N>
__global__ void scale(T* x) { x[threadIdx.x] *= N; }
)";

/// The entry found, or the log that says why there is none.
std::string entry_of(const char* source, KernelMetadata metadata) {
  const auto result = simt_source({.source = source, .metadata = std::move(metadata)});
  if (const auto* found = std::get_if<SimtSource>(&result)) return found->entry;
  return std::get<DidNotCompile>(std::get<Verdict>(result)).log;
}

TEST(SimtSource, the_first_kernel_is_the_one_unless_another_is_named) {
  EXPECT_EQ(entry_of(kTwoKernels, {}), "first");
  EXPECT_EQ(entry_of(kTwoKernels, {.kernel_name = "first"}), "first");
  EXPECT_EQ(entry_of(kTwoKernels, {.kernel_name = "ns::second"}), "ns::second");
  EXPECT_EQ(entry_of(kTwoKernels, {.kernel_name = "second"}), "ns::second");
}

TEST(SimtSource, several_kernels_without_a_name_are_asked_about) {
  EXPECT_EQ(entry_of(kTwoKernels, {.takes_first = false}),
            "the source has several kernels (first, ns::second): say which one to launch with "
            "metadata.kernel_name, or --kernel-name on the command line");
  EXPECT_EQ(entry_of(kTwoKernels, {.kernel_name = "second", .takes_first = false}), "ns::second");
  EXPECT_EQ(entry_of("__global__ void only(float* x) {}", {.takes_first = false}), "only");
}

TEST(SimtSource, a_name_that_is_not_there_is_answered_with_those_that_are) {
  EXPECT_EQ(entry_of(kTwoKernels, {.kernel_name = "third"}),
            "there is no kernel 'third' in the source (there is: first, ns::second)");
  EXPECT_THAT(entry_of("int x;", {}), HasSubstr("no __global__ function"));
}

TEST(SimtSource, an_instance_of_a_template_is_launched_by_its_expression) {
  EXPECT_EQ(entry_of(kTemplate, {.name_expressions = {"scale<float, 2>"}}), "scale<float, 2>");
  EXPECT_EQ(entry_of(kTemplate, {.kernel_name = "scale", .name_expressions = {"scale<int, 3>"}}),
            "scale<int, 3>");
  EXPECT_EQ(entry_of(kTemplate, {.kernel_name = "scale<int, 4>"}), "scale<int, 4>");
  EXPECT_THAT(entry_of(kTemplate, {}), HasSubstr("kernel.cu:3: kernel 'scale' is a template"));
  EXPECT_THAT(entry_of(kTemplate, {.name_expressions = {"scale<int>;\nint x"}}),
              HasSubstr("does not name a template instance"));
}

TEST(SimtSource, an_overload_is_chosen_by_the_number_of_arguments_or_by_its_parameters) {
  constexpr const char* kOverloads =
      "__global__ void scale(float* x) {}\n"
      "__global__ void scale(float* x, float by = 2) {}\n";
  Kernel kernel{.source = kOverloads, .metadata = {.kernel_name = "scale"}};
  kernel.io = IoContract{};
  kernel.io->args.resize(2);
  const auto result = simt_source(kernel);
  ASSERT_TRUE(std::holds_alternative<SimtSource>(result));
  EXPECT_EQ(std::get<SimtSource>(result).entry, "scale(float* x, float by)");
  EXPECT_EQ(entry_of(kOverloads, {.kernel_name = "scale(float* x)"}), "scale(float* x)");
}

TEST(SimtSource, a_macro_of_the_request_decides_what_is_there) {
  constexpr const char* kSource =
      "#ifdef USE_PTX\n__device__ void f() { asm(\"bra there;\"); }\n#endif\n"
      "__global__ void k(int* x) {}\n";
  EXPECT_EQ(entry_of(kSource, {}), "k");
  const auto result = simt_source({.source = kSource}, "#define USE_PTX 1\n");
  EXPECT_EQ(std::get<Unsupported>(std::get<Verdict>(result)).line, 2);
}

TEST(SimtSource, a_kernel_that_a_conditional_leaves_out_is_not_the_first) {
  constexpr const char* kEither =
      "#ifdef OLD\n__global__ void z(int* y) { *y = 1; }\n"
      "#else\n__global__ void f(int* y) { *y = 2; }\n#endif\n";
  EXPECT_EQ(entry_of(kEither, {}), "f");
  EXPECT_EQ(entry_of(kEither, {.kernel_name = "f"}), "f");
  EXPECT_EQ(entry_of(kEither, {.kernel_name = "g"}),
            "there is no kernel 'g' in the source (there is: f)");
  const auto old = simt_source({.source = kEither}, "#define OLD 1\n");
  EXPECT_EQ(std::get<SimtSource>(old).entry, "z");
  constexpr const char* kDead = "#if 0\n__global__ void z(int q) {}\n#endif\n";
  EXPECT_EQ(entry_of((std::string(kDead) + "__global__ void f(int* y) {}").c_str(), {}), "f");
  EXPECT_EQ(entry_of(kDead, {}), "z");  // a condition may have been misread: the compiler decides
}

TEST(SimtSource, of_two_kernels_of_one_name_the_one_kept_is_meant) {
  EXPECT_EQ(entry_of("#if __CUDA_ARCH__ >= 900\n__global__ void k() {}\n"
                     "#else\n__global__ void k(int* y) {}\n#endif\n",
                     {.kernel_name = "k"}),
            "k(int* y)");
}

TEST(SimtSource, what_cannot_run_here_is_unsupported_by_line) {
  const auto result = simt_source(
      {.source =
           "__global__ void k(int* x) {\n  asm volatile(\"mbarrier.pending_count.b64 %0, 0;\" "
           ": \"=r\"(*x));\n}"});
  const auto& verdict = std::get<Unsupported>(std::get<Verdict>(result));
  EXPECT_THAT(verdict.reason, HasSubstr("PTX"));
  EXPECT_EQ(verdict.line, 2);
}

}  // namespace
}  // namespace assay::compile
