#include "cli/entrance.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "access/token.hpp"
#include "access/token_file.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/os.hpp"

namespace assay::cli {
namespace {

class EntranceTest : public testing::Test {
 protected:
  auto open(const std::string& host, const EntranceOptions& options = {}) {
    return open_entrance(options, host, temp_.path(), clock_, log_);
  }

  ManualClock clock_;
  const Log log_{-1};
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-door-").value();
};

TEST(Loopback, is_what_only_this_machine_reaches) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "example.org", ""}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST_F(EntranceTest, on_loopback_everybody_may_come_in) {
  EXPECT_EQ(open("127.0.0.1").value(), nullptr);
}

TEST_F(EntranceTest, beyond_loopback_a_token_is_wanted_and_the_command_named) {
  const auto refused = open("0.0.0.0");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message().find("assay token create"), std::string::npos);
  EXPECT_EQ(open("0.0.0.0", {.insecure = true}).value(), nullptr);
}

TEST_F(EntranceTest, tokens_that_are_there_count_everywhere) {
  const auto token = access::make_token("ci", {access::Scope::submit}, {}).value();
  ASSERT_TRUE(access::TokenFile(default_token_file(temp_.path())).add(token.token));
  for (const char* host : {"127.0.0.1", "0.0.0.0"}) {
    const auto gate = open(host, {.insecure = true});
    ASSERT_TRUE(gate && *gate != nullptr) << host;
    EXPECT_TRUE((*gate)->find(token.secret));
  }
}

TEST_F(EntranceTest, file_that_was_named_must_be_there) {
  const auto missing = open("127.0.0.1", {.token_file = temp_.path() / "none"});
  EXPECT_EQ(missing.error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::cli
