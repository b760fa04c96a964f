#include "wire/zygote_messages.hpp"

#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/device_info.hpp"
#include "model/python_zygote.hpp"

namespace assay::wire {
namespace {

TEST(ZygoteMessages, hello_tells_versions_and_what_is_missing) {
  const auto hello = decode_zygote_hello(
      R"({"hello":"ready","python":"3.11.7","versions":{"torch":"2.11"},"missing":["private_proc"]})");
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->python, "3.11.7");
  EXPECT_EQ(hello->versions.at("torch"), "2.11");
  EXPECT_EQ(hello->missing, std::vector<std::string>{"private_proc"});
}

TEST(ZygoteMessages, a_failed_start_carries_its_reason) {
  const auto hello =
      decode_zygote_hello(R"({"hello":"failed","reason":"No module named 'torch'"})");
  ASSERT_FALSE(hello);
  EXPECT_EQ(hello.error().code(), ErrorCode::unavailable);
  EXPECT_NE(hello.error().message().find("No module named 'torch'"), std::string::npos);
}

TEST(ZygoteMessages, a_fork_request_carries_limits_and_the_filter_in_base64) {
  const std::string text = encode_fork_request({.device = DeviceKind::cuda,
                                                .limits = {.memory_bytes = 5, .cpu_seconds = 60},
                                                .filter = std::string("\0\1\2", 3),
                                                .environment = {{"TMPDIR", "/tmp"}}});
  EXPECT_NE(text.find(R"("device":"cuda")"), std::string::npos);
  EXPECT_NE(text.find(R"("memory_bytes":5)"), std::string::npos);
  EXPECT_NE(text.find(R"("filter":"AAEC")"), std::string::npos);
  EXPECT_NE(text.find(R"("environment":{"TMPDIR":"/tmp"})"), std::string::npos);
}

TEST(ZygoteMessages, reports_are_told_apart) {
  EXPECT_TRUE(std::holds_alternative<InitWaiting>(*decode_fork_report(R"({"report":"init"})")));
  EXPECT_TRUE(
      std::holds_alternative<RunnerStarted>(*decode_fork_report(R"({"report":"started"})")));
  EXPECT_TRUE(std::holds_alternative<RunnerReady>(*decode_fork_report(R"({"report":"ready"})")));
  const auto failed = decode_fork_report(R"({"report":"failed","reason":"no memory"})");
  EXPECT_EQ(std::get<ForkFailed>(*failed).reason, "no memory");
  const auto ended = decode_fork_report(R"({"report":"ended","status":11,"peak_bytes":4096})");
  EXPECT_EQ(std::get<RunnerEnded>(*ended).wait_status, 11);
  EXPECT_EQ(std::get<RunnerEnded>(*ended).peak_memory_bytes, 4096U);
}

TEST(ZygoteMessages, anything_else_is_no_report) {
  EXPECT_FALSE(decode_fork_report("{}"));
  EXPECT_FALSE(decode_fork_report(R"({"report":"coffee"})"));
  EXPECT_FALSE(decode_fork_report("not json"));
}

}  // namespace
}  // namespace assay::wire
