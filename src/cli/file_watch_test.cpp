#include "cli/file_watch.hpp"

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include "base/os.hpp"

namespace assay::cli {
namespace {

using std::chrono::milliseconds;

class FileWatchTest : public testing::Test {
 protected:
  void write(const char* text) { ASSERT_TRUE(write_file_atomically(file_, text)); }

  TempDir dir_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-watch-").value();
  std::filesystem::path file_ = dir_.path() / "kernel.cu";
  FileWatch watch_{milliseconds(1)};
};

TEST_F(FileWatchTest, ends_when_a_file_is_replaced) {
  write("one");
  watch_.follow({file_});
  write("another");
  EXPECT_TRUE(watch_.wait({}));
}

TEST_F(FileWatchTest, waits_for_a_file_that_is_gone_to_come_back) {
  write("one");
  watch_.follow({file_});
  std::filesystem::remove(file_);
  std::jthread editor([&] { write("three"); });
  EXPECT_TRUE(watch_.wait({}));
  EXPECT_TRUE(std::filesystem::exists(file_));
}

TEST_F(FileWatchTest, ends_when_stopped) {
  write("one");
  watch_.follow({file_});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(watch_.wait(stop.get_token()));
}

}  // namespace
}  // namespace assay::cli
