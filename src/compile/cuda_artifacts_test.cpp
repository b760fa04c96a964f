#include "compile/cuda_artifacts.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/os.hpp"
#include "compile/testkit/fake_compiler.hpp"
#include "model/artifact.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CudaArtifactsTest : public testing::Test {
 protected:
  void SetUp() override {  // a jail is another user's
    fs::permissions(temp_.path(), fs::perms::others_read | fs::perms::others_exec,
                    fs::perm_options::add);
  }

  fs::path file(std::string_view content) {
    const fs::path path = temp_.path() / "module";
    std::ofstream(path) << content;
    return path;
  }
  Artifact disassembled(std::string_view script) {
    return sass_artifact(fake_compiler(temp_.path(), script), file("code"), jails_for_tests(),
                         Deadline(clock_, std::chrono::minutes(1)), {})
        .value();
  }

  SystemClock clock_;
  TempDir temp_ = TempDir::create(fs::temp_directory_path(), "artifacts-").value();
};

TEST_F(CudaArtifactsTest, ptx_is_what_the_compiler_left) {
  const Artifact ptx = ptx_artifact(file(".version 9.0\n"));
  EXPECT_EQ(ptx.text, ".version 9.0\n");
  EXPECT_EQ(ptx.bytes, 13U);
  EXPECT_FALSE(ptx.absent);
}

TEST_F(CudaArtifactsTest, ptx_that_is_not_there_or_too_large_is_absent_with_the_reason) {
  EXPECT_EQ(ptx_artifact(temp_.path() / "none").absent, "the compiler left none");
  EXPECT_EQ(ptx_artifact(file("")).absent, "the compiler left none");
  EXPECT_EQ(ptx_artifact(file(std::string(kLargestArtifact + 1, 'x'))).absent,
            "it has more than 8 MiB");
  fs::create_symlink("/etc/passwd", temp_.path() / "link");
  EXPECT_TRUE(ptx_artifact(temp_.path() / "link").absent);
}

TEST_F(CudaArtifactsTest, disassembler_gets_the_module_and_its_warnings_are_left_out) {
  const Artifact sass =
      disassembled("echo 'nvdisasm warning : old' >&2; test \"$1\" = --print-code && cat \"$2\"");
  EXPECT_EQ(sass.absent, std::nullopt);
  EXPECT_EQ(sass.text, "code\n");
  EXPECT_EQ(sass.bytes, 5U);
}

TEST_F(CudaArtifactsTest, disassembler_that_fails_or_says_too_much_or_is_missing_is_told) {
  EXPECT_THAT(disassembled("echo 'no cubin'; exit 3").absent.value(), HasSubstr("no cubin"));
  EXPECT_EQ(disassembled("yes | head -c 9000000").absent, "it has more than 8 MiB");
  const auto none = sass_artifact(std::nullopt, file(""), jails_for_tests(),
                                  Deadline(clock_, std::chrono::minutes(1)), {});
  EXPECT_THAT(none.value().absent.value(), HasSubstr("nvdisasm was not found"));
}

}  // namespace
}  // namespace assay::compile
