#include "cli/clock_holder.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/os.hpp"
#include "model/device_info.hpp"

namespace assay::cli {
namespace {

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

TEST(ClockHolder, ends_its_process_and_waits_for_what_it_does_at_its_end) {
  const auto folder = TempDir::create(std::filesystem::temp_directory_path(), "clocks-");
  ASSERT_TRUE(folder);
  const auto given_back = folder->path() / "given_back";
  {
    auto started =
        ClockHolder::start(shell("echo held; cat; sleep 0.1; : > '" + given_back.string() + "'"));
    ASSERT_TRUE(started) << started.error().message();
    const ClockHolder moved = *std::move(started);
    EXPECT_FALSE(std::filesystem::exists(given_back));
  }
  EXPECT_TRUE(std::filesystem::exists(given_back));
}

TEST(ClockHolder, says_why_nothing_is_held) {
  const auto refused = ClockHolder::start(shell("echo the driver refuses: no; exit 3"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(refused.error().message(), "the driver refuses: no");
  EXPECT_EQ(ClockHolder::start(shell("exit 0")).error().message(), "nothing was answered");
  EXPECT_FALSE(ClockHolder::start({"/no/such/program"}));
}

TEST(HoldClocks, marks_the_gpus_whose_clocks_are_held) {
  const Log quiet(-1);
  std::vector<DeviceInfo> devices{
      {.id = {"cuda:0"}, .kind = DeviceKind::cuda, .uuid = "GPU-1"},
      {.id = {"cpu"}, .kind = DeviceKind::cpu},
  };
  const auto folder = TempDir::create(std::filesystem::temp_directory_path(), "clocks-");
  ASSERT_TRUE(folder);
  const auto program = folder->path() / "holder";
  const auto write = [&](const std::string& script) {
    ASSERT_TRUE(write_file_atomically(program, "#!/bin/sh\n" + script));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  };
  write("test \"$*\" = 'hold-clocks --gpu GPU-1 --at 1500' && echo held && cat\n");
  const auto held = hold_clocks(devices, "1500", program, quiet);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->size(), 1U);
  EXPECT_TRUE(devices[0].clocks_locked);
  EXPECT_FALSE(devices[1].clocks_locked);
  write("echo the driver refuses: no\n");
  const auto refused = hold_clocks(devices, "base", program, quiet);
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->empty());
  EXPECT_FALSE(devices[0].clocks_locked);
  EXPECT_EQ(hold_clocks(devices, "fast", program, quiet).error().code(),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::cli
