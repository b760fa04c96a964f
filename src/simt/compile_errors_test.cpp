// What a user reads of sources that do not compile: the compiler's real messages, reduced to the
// user's own lines.
#include <filesystem>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os.hpp"
#include "simt/testing/local_builder.hpp"
#include "simt/toolchain.hpp"

namespace assay::simt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string log_of(std::string_view source) {
  const auto toolchain = testing::shared_toolchain();
  if (!toolchain) return toolchain.error().message();
  const auto directory =
      TempDir::create(std::filesystem::temp_directory_path(), "simt-errors-").value();
  const auto built = testing::build(*toolchain, source, {}, Variant::plain, directory.path());
  if (!built) return built.error().message();
  EXPECT_FALSE(built->compiled);
  return built->log;
}

/// Nothing of ours may show: no path, no header, no name the translator made up.
auto speaks_only_of(std::string_view line) {
  return AllOf(HasSubstr(std::string(line)), Not(HasSubstr("assay")), Not(HasSubstr("/include/")),
               Not(HasSubstr(".hpp")), Not(HasSubstr("translated.cpp")));
}

TEST(CompileErrors, missing_semicolon) {
  EXPECT_THAT(log_of("__global__ void k(float* x) {\n  x[0] = 1\n}\n"),
              AllOf(speaks_only_of("kernel.cu:2: error: expected"), HasSubstr("2 |   x[0] = 1")));
}

TEST(CompileErrors, unknown_identifier) {
  EXPECT_THAT(log_of("__global__ void k(float* x) {\n\n  x[threadIdx.x] = scale * 2;\n}\n"),
              AllOf(speaks_only_of("kernel.cu:3: error:"), HasSubstr("scale")));
}

TEST(CompileErrors, unknown_member_of_a_coordinate) {
  EXPECT_THAT(log_of("__global__ void k(float* x) {\n  x[threadIdx.w] = 2;\n}\n"),
              speaks_only_of("kernel.cu:2: error:"));
}

TEST(CompileErrors, wrong_argument_of_a_launch) {
  EXPECT_THAT(log_of("__global__ void k(float* x, int n) {}\n"
                     "void run(int* p) {\n"
                     "  k<<<1, 32>>>(p, 4);\n"
                     "}\n"),
              AllOf(speaks_only_of("kernel.cu:3: error:"), HasSubstr("int*"), HasSubstr("float*")));
}

TEST(CompileErrors, too_few_arguments_of_a_launch) {
  EXPECT_THAT(log_of("__global__ void k(float* x, int n) {}\n"
                     "void run(float* p) {\n"
                     "  k<<<1, 32>>>(p);\n"
                     "}\n"),
              speaks_only_of("kernel.cu:3: error:"));
}

TEST(CompileErrors, mistake_inside_a_template) {
  EXPECT_THAT(log_of("template <class T> __device__ T twice(T x) { return x.doubled(); }\n"
                     "__global__ void k(float* x) {\n"
                     "  x[0] = twice(x[0]);\n"
                     "}\n"),
              AllOf(speaks_only_of("kernel.cu:1: error:"), HasSubstr("doubled")));
}

TEST(CompileErrors, mistake_inside_a_macro) {
  EXPECT_THAT(log_of("#define SET(p) \\\n  p[0] = missing;\n"
                     "__global__ void k(float* x) {\n"
                     "  SET(x)\n"
                     "}\n"),
              AllOf(speaks_only_of("error:"), HasSubstr("missing"), HasSubstr("kernel.cu:")));
}

TEST(CompileErrors, missing_header) {
  EXPECT_THAT(log_of("\n#include \"my_helpers.cuh\"\n__global__ void k() {}\n"),
              AllOf(speaks_only_of("kernel.cu:2: fatal error:"), HasSubstr("my_helpers.cuh")));
}

TEST(CompileErrors, wrong_argument_of_one_of_our_functions) {
  EXPECT_THAT(log_of("__global__ void k(float* x) {\n"
                     "  atomicAdd(x, \"two\");\n"
                     "}\n"),
              speaks_only_of("kernel.cu:2: error:"));
}

TEST(CompileErrors, shared_array_without_a_constant_size) {
  EXPECT_THAT(log_of("__global__ void k(float* x, int n) {\n"
                     "  __shared__ float tile[n];\n"
                     "  x[0] = tile[0];\n"
                     "}\n"),
              speaks_only_of("kernel.cu:2: error:"));
}

TEST(CompileErrors, static_assertion_of_the_users_own) {
  EXPECT_THAT(log_of("template <int N> __global__ void k(float* x) {\n"
                     "  static_assert(N % 32 == 0, \"N must be whole warps\");\n"
                     "}\n"
                     "void run(float* x) { k<33><<<1, 1>>>(x); }\n"),
              AllOf(speaks_only_of("kernel.cu:2: error:"), HasSubstr("N must be whole warps")));
}

}  // namespace
}  // namespace assay::simt
