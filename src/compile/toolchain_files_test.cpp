#include "compile/toolchain_files.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "compile/work_area.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

class ToolchainFilesTest : public ::testing::Test {
 protected:
  fs::path make(const char* name) {
    const fs::path directory = temp_.path() / "all" / name;
    fs::create_directories(directory / "include");
    std::ofstream(directory / "include" / "a.hpp") << "int a;";
    return directory;
  }

  TempDir temp_ = TempDir::create("/tmp", "assay-files-").value();
};

TEST_F(ToolchainFilesTest, a_sealed_directory_verifies_until_a_file_changes) {
  const fs::path directory = make("one");
  ASSERT_TRUE(seal_directory(directory));
  EXPECT_TRUE(verify_directory(directory));
  std::ofstream(directory / "include" / "a.hpp") << "int b;";
  EXPECT_EQ(verify_directory(directory).error().code(), ErrorCode::data_loss);
  fs::remove(directory / "include" / "a.hpp");
  EXPECT_EQ(verify_directory(directory).error().code(), ErrorCode::data_loss);
}

TEST_F(ToolchainFilesTest, an_unsealed_or_absent_directory_does_not_verify) {
  EXPECT_EQ(verify_directory(make("unsealed")).error().code(), ErrorCode::data_loss);
  EXPECT_EQ(verify_directory(temp_.path() / "absent").error().code(), ErrorCode::not_found);
}

TEST_F(ToolchainFilesTest, a_link_is_not_sealed) {
  const fs::path directory = make("linked");
  fs::create_symlink("/etc/passwd", directory / "lib.so");
  EXPECT_EQ(seal_directory(directory).error().code(), ErrorCode::internal);
}

TEST_F(ToolchainFilesTest, directories_unused_for_a_month_are_removed) {
  const WorkArea work = WorkArea::open(temp_.path() / "work").value();
  ManualClock clock;
  const fs::path old = make("old");
  const fs::path current = make("current");
  ASSERT_TRUE(seal_directory(old));
  ASSERT_TRUE(seal_directory(current));
  keep_directory(old, work, clock);
  clock.advance(std::chrono::days(29));
  keep_directory(current, work, clock);
  EXPECT_TRUE(fs::exists(old));
  clock.advance(std::chrono::days(2));
  keep_directory(current, work, clock);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(verify_directory(current));
}

}  // namespace
}  // namespace assay::compile
