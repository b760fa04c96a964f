#include "compile/simt_options.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::compile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AcceptedOptions accepted(const std::vector<std::string>& options) {
  auto result = simt_options(options);
  const auto* refused = std::get_if<RefusedOption>(&result);
  EXPECT_EQ(refused, nullptr) << (refused != nullptr ? refused->reason : "");
  return refused != nullptr ? AcceptedOptions{} : std::get<AcceptedOptions>(std::move(result));
}

std::string refused(const std::vector<std::string>& options) {
  const auto result = simt_options(options);
  const auto* refusal = std::get_if<RefusedOption>(&result);
  return refusal != nullptr ? refusal->reason : "accepted";
}

TEST(SimtOptions, macros_pass_in_each_spelling) {
  const AcceptedOptions options = accepted({"-DN=4", "-D", "F(x)=x=1", "--define-macro=A", "-UB"});
  EXPECT_THAT(options.flags, IsEmpty());
  EXPECT_EQ(options.macros, "#define N 4\n#define F(x) x=1\n#define A 1\n#undef B\n");
}

TEST(SimtOptions, levels_and_standards_pass) {
  EXPECT_THAT(accepted({"-O1", "--std=c++23"}).flags, ElementsAre("-O1", "-std=c++23"));
  const AcceptedOptions older = accepted({"-std=c++17"});
  EXPECT_THAT(older.flags, IsEmpty());
  EXPECT_THAT(older.notes, ElementsAre(HasSubstr("'-std=c++17' is read as C++20")));
}

TEST(SimtOptions, fast_math_keeps_full_precision) {
  const AcceptedOptions options = accepted({"--use_fast_math"});
  EXPECT_THAT(options.flags, IsEmpty());
  EXPECT_THAT(options.notes, ElementsAre(HasSubstr("full precision")));
}

TEST(SimtOptions, what_only_a_gpu_heeds_is_ignored_with_a_note) {
  const AcceptedOptions options =
      accepted({"-arch=sm_90", "--maxrregcount", "32", "-lineinfo", "-Xptxas", "-v", "-lcudart",
                "-I/usr/local/cuda/include"});
  EXPECT_THAT(options.flags, IsEmpty());
  EXPECT_THAT(options.notes,
              ElementsAre(HasSubstr("'-arch=sm_90'"), HasSubstr("'--maxrregcount 32'"),
                          HasSubstr("'-lineinfo'"), HasSubstr("'-Xptxas -v'"),
                          HasSubstr("'-lcudart'"), HasSubstr("'-I/usr/local/cuda/include'")));
}

TEST(SimtOptions, options_for_the_host_compiler_meet_the_same_rules) {
  EXPECT_THAT(accepted({"-Xcompiler", "-fPIC,-Wall,-O2"}).flags, ElementsAre("-Wall", "-O2"));
  EXPECT_THAT(refused({"-Xcompiler=-O2,-fplugin=x.so"}), HasSubstr("'-fplugin=x.so'"));
}

TEST(SimtOptions, what_names_files_or_programs_is_refused_by_name) {
  for (const std::string_view option : {"-fplugin=x.so",
                                        "-wrapper",
                                        "-B/tmp",
                                        "@file",
                                        "-o",
                                        "-x",
                                        "-include",
                                        "-imacros",
                                        "-specs=x",
                                        "kernel.cu",
                                        "-Wl,-rpath,/",
                                        "-Wp,-M",
                                        "-Wa,x",
                                        "-I/etc",
                                        "-I..",
                                        "-I/usr/include/../../etc",
                                        "-lssl",
                                        "-L/tmp",
                                        "-isystem/etc",
                                        "--sysroot=/",
                                        "-save-temps",
                                        "-O9",
                                        "-std=c++99",
                                        "-D",
                                        "-D-x",
                                        "-DX=\n#include <a>",
                                        "-DX=\\",
                                        "-fdump-tree-all",
                                        ""}) {
    EXPECT_THAT(refused({std::string(option)}), HasSubstr("'" + std::string(option) + "'"));
  }
}

}  // namespace
}  // namespace assay::compile
