#include "base/os.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace assay {
namespace {

TEST(File, is_read_back_as_written) {
  const auto dir = TempDir::create(std::filesystem::temp_directory_path(), "assay-os-").value();
  const auto path = dir.path() / "f";
  ASSERT_TRUE(write_file_atomically(path, std::string("a\0b", 3)));
  ASSERT_TRUE(write_file_atomically(path, "second"));
  EXPECT_EQ(read_file(path).value(), "second");
}

TEST(File, that_is_not_there_is_not_found) {
  EXPECT_EQ(read_file("/nonexistent/assay").error().code(), ErrorCode::not_found);
}

TEST(File, over_the_limit_is_refused) {
  const auto dir = TempDir::create(std::filesystem::temp_directory_path(), "assay-os-").value();
  ASSERT_TRUE(write_file_atomically(dir.path() / "f", "12345"));
  EXPECT_EQ(read_file(dir.path() / "f", 4).error().code(), ErrorCode::resource_exhausted);
}

TEST(File, cannot_be_written_into_a_missing_directory) {
  EXPECT_FALSE(write_file_atomically("/nonexistent/assay/f", "x"));
}

TEST(File, that_is_private_is_closed_to_others) {
  const auto dir = TempDir::create(std::filesystem::temp_directory_path(), "assay-os-").value();
  ASSERT_TRUE(write_private_file(dir.path() / "f", "secret"));
  struct stat status{};
  ASSERT_EQ(::stat((dir.path() / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(read_file(dir.path() / "f").value(), "secret");
  EXPECT_FALSE(write_private_file("/nonexistent/assay/f", "x"));
}

TEST(SealedCopy, holds_what_the_file_held_and_cannot_be_changed) {
  const auto dir = TempDir::create(std::filesystem::temp_directory_path(), "assay-os-").value();
  const auto path = dir.path() / "f";
  ASSERT_TRUE(write_file_atomically(path, "whole"));
  const UniqueFd copy = sealed_copy(path).value();
  const std::string again = "/proc/self/fd/" + std::to_string(copy.get());
  EXPECT_EQ(read_file(again).value(), "whole");
  const UniqueFd writer(::open(again.c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(::write(writer.get(), "x", 1), -1);
  EXPECT_EQ(::ftruncate(writer.get(), 0), -1);
  EXPECT_EQ(::fchmod(copy.get(), 0), 0);
  EXPECT_EQ(read_file(path).value(), "whole") << "the file itself is out of reach";
}

TEST(SealedCopy, of_a_file_that_is_not_there_is_unavailable) {
  EXPECT_EQ(sealed_copy("/nonexistent/assay").error().code(), ErrorCode::unavailable);
}

TEST(TempDir, is_removed_with_its_content_and_survives_a_move) {
  std::filesystem::path path;
  {
    auto dir = TempDir::create(std::filesystem::temp_directory_path(), "assay-os-").value();
    path = dir.path();
    const auto moved = std::move(dir);
    ASSERT_TRUE(write_file_atomically(path / "f", "x"));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempDir, fails_where_the_parent_is_missing) {
  EXPECT_FALSE(TempDir::create("/nonexistent/assay", "x"));
}

}  // namespace
}  // namespace assay
