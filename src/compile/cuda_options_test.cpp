#include "compile/cuda_options.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/option_rules.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"

namespace assay::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ComputeCapability kHopper{9, 0};
const std::array<std::filesystem::path, 1> kIncludes = {"/opt/cutlass/include"};

CudaOptions accepted(const std::vector<std::string>& options,
                     CudaCompiler compiler = CudaCompiler::nvrtc) {
  auto result = cuda_options(options, compiler, kHopper, kIncludes);
  const auto* refused = std::get_if<RefusedOption>(&result);
  EXPECT_EQ(refused, nullptr) << refused->reason;
  return refused == nullptr ? std::get<CudaOptions>(std::move(result)) : CudaOptions{};
}

std::string refused(const std::vector<std::string>& options) {
  const auto result = cuda_options(options, CudaCompiler::nvrtc, kHopper, kIncludes);
  const auto* refusal = std::get_if<RefusedOption>(&result);
  return refusal == nullptr ? "" : refusal->reason;
}

TEST(CudaOptions, architecture_is_that_of_the_device) {
  EXPECT_THAT(accepted({}).flags, ElementsAre("--gpu-architecture=sm_90"));
  EXPECT_THAT(accepted({"-arch=sm_80"}).flags, ElementsAre("--gpu-architecture=sm_90"));
  EXPECT_THAT(accepted({"-arch=sm_80"}).notes, ElementsAre(HasSubstr("sm_90")));
  EXPECT_THAT(accepted({"-arch", "sm_90a"}).flags, ElementsAre("--gpu-architecture=sm_90a"));
  EXPECT_THAT(accepted({"-gencode=arch=compute_90a,code=sm_90a"}).flags,
              ElementsAre("--gpu-architecture=sm_90a"));
  EXPECT_TRUE(accepted({"-arch=native"}).notes.empty());
}

TEST(CudaOptions, what_shapes_the_code_is_passed_on) {
  EXPECT_THAT(accepted({"-DN=4", "-D", "M", "--use_fast_math", "--maxrregcount=32", "-std=c++20",
                        "-Xptxas", "-O3"})
                  .flags,
              ElementsAre("-DN=4", "-DM", "--use_fast_math", "--maxrregcount=32", "-std=c++20",
                          "--ptxas-options=-O3", "--gpu-architecture=sm_90"));
}

TEST(CudaOptions, include_path_must_be_one_that_builds_may_see) {
  EXPECT_THAT(accepted({"-I/opt/cutlass/include/cute"}).flags,
              ElementsAre("-I/opt/cutlass/include/cute", "--gpu-architecture=sm_90"));
  EXPECT_THAT(refused({"-I/opt/cutlass/include/../../../etc"}), HasSubstr("outside"));
  EXPECT_THAT(refused({"-I/root"}), HasSubstr("outside"));
}

TEST(CudaOptions, options_that_name_files_or_programs_are_refused) {
  for (const char* option : {"--options-file=/etc/passwd", "-ccbin=/tmp/x", "--output-file=/x",
                             "-include=/etc/passwd", "--pch", "-Xptxas=--input=/etc/passwd"}) {
    EXPECT_NE(refused({option}), "") << option;
  }
  EXPECT_THAT(refused({"-D"}), HasSubstr("needs a value"));
  EXPECT_THAT(refused({"-lstdc++"}), HasSubstr("library"));
}

TEST(CudaOptions, options_without_effect_are_noted) {
  EXPECT_THAT(accepted({"-O3"}).notes, ElementsAre(HasSubstr("no effect")));
  EXPECT_THAT(accepted({"-default-device"}, CudaCompiler::nvcc).notes,
              ElementsAre(HasSubstr("nvcc")));
}

}  // namespace
}  // namespace assay::compile
