#include "compile/toolchain.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "compile/compiler.hpp"
#include "compile/testkit/fake_compiler.hpp"
#include "compile/work_area.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::HasSubstr;

ToolchainRecipe one_header() {
  return {.fingerprint = "one header",
          .write_files =
              [](const fs::path& directory) {
                fs::create_directories(directory / "include");
                return write_file_atomically(directory / "include" / "a.hpp", "int a;");
              },
          .compiler_runs =
              [](const fs::path& directory) {
                return std::vector<std::vector<std::string>>{
                    {(directory / "include" / "a.hpp").string()}};
              }};
}

class ToolchainTest : public ::testing::Test {
 protected:
  [[nodiscard]] Compiler compiler(std::string_view script) const {
    return {.path = fake_compiler(temp_.path() / "prefix", script),
            .family = "g++",
            .version = "1.2.3"};
  }
  std::unique_ptr<Toolchain> make(std::string_view script) {
    return std::make_unique<Toolchain>(compiler(script), one_header(), temp_.path() / "toolchains",
                                       work_, jails_for_tests(), clock_);
  }
  [[nodiscard]] Deadline soon() const { return Deadline(clock_, seconds(20)); }

  SystemClock clock_;
  TempDir temp_ = TempDir::create("/tmp", "assay-toolchain-").value();
  WorkArea work_ = WorkArea::open(temp_.path() / "work").value();
};

constexpr std::string_view kPrecompile = "cp \"$1\" \"$1.gch\"";
constexpr std::string_view kBroken = "echo 'cannot go on'; exit 1";

TEST_F(ToolchainTest, is_made_once_and_kept_across_restarts) {
  const auto ready = make(kPrecompile)->wait_ready(soon(), {});
  ASSERT_TRUE(ready) << ready.error().message();
  EXPECT_EQ(read_file(*ready / "include" / "a.hpp.gch").value(), "int a;");
  const auto again = make(kBroken)->wait_ready(soon(), {});  // would fail if it ran
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, *ready);
}

TEST_F(ToolchainTest, is_made_again_where_a_file_was_damaged) {
  const fs::path directory = make(kPrecompile)->wait_ready(soon(), {}).value();
  std::ofstream(directory / "include" / "a.hpp.gch") << "half";
  ASSERT_TRUE(make(kPrecompile)->wait_ready(soon(), {}));
  EXPECT_EQ(read_file(directory / "include" / "a.hpp.gch").value(), "int a;");
}

TEST_F(ToolchainTest, two_that_make_the_same_one_both_get_it) {
  const auto first = make("sleep 0.2; cp \"$1\" \"$1.gch\"");
  const WorkArea other_work = WorkArea::open(temp_.path() / "work").value();
  Toolchain second(first->compiler(), one_header(), temp_.path() / "toolchains", other_work,
                   jails_for_tests(), clock_);
  EXPECT_EQ(first->fingerprint(), second.fingerprint());
  EXPECT_TRUE(first->wait_ready(soon(), {}));
  EXPECT_TRUE(second.wait_ready(soon(), {}));
  EXPECT_TRUE(fs::exists(second.directory() / "include" / "a.hpp.gch"));
}

TEST_F(ToolchainTest, a_failure_says_why_and_the_next_wait_tries_again) {
  const auto toolchain = make(kBroken);
  const auto failed = toolchain->wait_ready(soon(), {});
  EXPECT_EQ(failed.error().code(), ErrorCode::internal);
  EXPECT_THAT(failed.error().message(), HasSubstr("g++ 1.2.3 exited with code 1: "
                                                  "cannot go on"));
  fake_compiler(temp_.path() / "prefix", kPrecompile);
  const auto retried = toolchain->wait_ready(soon(), {});
  EXPECT_TRUE(retried) << retried.error().message();
}

TEST_F(ToolchainTest, waiting_ends_at_the_deadline_or_when_stopped_while_the_work_goes_on) {
  const auto toolchain = make("sleep 0.5; cp \"$1\" \"$1.gch\"");
  const Deadline now(clock_, std::chrono::milliseconds(10));
  EXPECT_EQ(toolchain->wait_ready(now, {}).error().code(), ErrorCode::unavailable);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(toolchain->wait_ready(soon(), stop.get_token()).error().code(), ErrorCode::cancelled);
  EXPECT_TRUE(toolchain->wait_ready(soon(), {}));
}

TEST_F(ToolchainTest, on_demand_nothing_is_made_before_somebody_asks) {
  ToolchainOnDemand toolchain(compiler(kPrecompile), one_header(), temp_.path() / "toolchains",
                              work_, jails_for_tests(), clock_);
  EXPECT_EQ(toolchain.fingerprint(), "one header");
  EXPECT_FALSE(fs::exists(temp_.path() / "toolchains"));
  const auto ready = toolchain.get().wait_ready(soon(), {});
  ASSERT_TRUE(ready) << ready.error().message();
  EXPECT_TRUE(fs::exists(*ready / "include" / "a.hpp.gch"));
  EXPECT_EQ(&toolchain.get(), &toolchain.get());
}

}  // namespace
}  // namespace assay::compile
