#include "simt/testing/kept_program.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/os.hpp"
#include "simt/testing/local_builder.hpp"
#include "simt/toolchain.hpp"

namespace assay::simt {
namespace {

namespace fs = std::filesystem;

class KeptProgramTest : public ::testing::Test {
 protected:
  void write(std::string_view name, std::string_view text) const {
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, text));
  }
  [[nodiscard]] testing::BuildResult built(Variant variant = Variant::plain) const {
    const auto toolchain = testing::shared_toolchain();
    if (!toolchain) return {};
    return testing::kept_program(*toolchain, folder_.path() / "program.cu", variant)
        .value_or(testing::BuildResult{});
  }
  [[nodiscard]] static std::string output_of(const testing::BuildResult& program) {
    const auto run = testing::run_command({program.file.string()}, "/tmp");
    return run ? run->output : run.error().message();
  }
  TempDir folder_ = TempDir::create("/tmp", "kept-program-").value();
};

constexpr std::string_view kPrintsAWord = R"(#include <cstdio>
#include "words.hpp"
int main() { std::puts(kWord); }
)";

TEST_F(KeptProgramTest, is_built_again_only_when_something_in_it_changed) {
  // Not what an earlier run of this test has kept.
  const std::string random = "// " + folder_.path().string() + "\n";
  write("program.cu", std::string(kPrintsAWord) + random);
  write("words.hpp", "constexpr const char* kWord = \"one\";\n");
  const auto first = built();
  ASSERT_TRUE(first.compiled) << first.log;
  EXPECT_EQ(output_of(first), "one\n");
  const auto made = fs::last_write_time(first.file);
  EXPECT_EQ(built().file, first.file);
  EXPECT_EQ(fs::last_write_time(first.file), made);

  write("words.hpp", "constexpr const char* kWord = \"two\";\n");
  const auto second = built();
  EXPECT_EQ(output_of(second), "two\n");
  write("program.cu", std::string(kPrintsAWord) + "// more\n" + random);
  EXPECT_NE(built().file, second.file);
}

TEST_F(KeptProgramTest, what_does_not_compile_is_not_kept) {
  write("program.cu", "int main() { return nothing; }\n");
  const auto failed = built();
  EXPECT_FALSE(failed.compiled);
  EXPECT_NE(failed.log.find("program.cu:1"), std::string::npos) << failed.log;
  EXPECT_FALSE(built().compiled);
}

}  // namespace
}  // namespace assay::simt
