#include "compile/compiler.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "compile/compiler_run.hpp"
#include "compile/testkit/fake_compiler.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CompilerTest : public ::testing::Test {
 protected:
  SystemClock clock_;
  TempDir temp_ = TempDir::create("/tmp", "assay-compiler-").value();
};

TEST_F(CompilerTest, the_host_compiler_is_found_and_says_who_it_is) {
  const auto compiler = find_compiler({}, jails_for_tests(), clock_);
  ASSERT_TRUE(compiler) << compiler.error().message();
  EXPECT_EQ(compiler->family, "g++");
  EXPECT_THAT(compiler->name(), ::testing::MatchesRegex(R"(g\+\+ [0-9]+\.[0-9]+\.[0-9]+)"));
  EXPECT_THAT(compiler->target, HasSubstr("linux"));
}

TEST_F(CompilerTest, a_configured_compiler_is_asked_and_its_absence_told) {
  const fs::path path = fake_compiler(temp_.path() / "prefix", "exit 0");
  const auto compiler = find_compiler(path, jails_for_tests(), clock_);
  ASSERT_TRUE(compiler) << compiler.error().message();
  EXPECT_EQ(compiler->name(), "g++ 1.2.3");
  EXPECT_EQ(compiler->banner, "fake g++ 1.2.3-4");
  EXPECT_EQ(compiler->target, "fake-linux");

  const auto absent = find_compiler(temp_.path() / "bin" / "clang++", jails_for_tests(), clock_);
  EXPECT_EQ(absent.error().code(), ErrorCode::not_found);
  EXPECT_THAT(absent.error().message(), HasSubstr("bin/clang++"));
}

TEST_F(CompilerTest, a_program_that_is_no_compiler_is_not_taken_for_one) {
  const auto compiler = find_compiler("/usr/bin/false", jails_for_tests(), clock_);
  EXPECT_EQ(compiler.error().code(), ErrorCode::not_found);
}

TEST_F(CompilerTest, a_run_sees_its_binds_and_nothing_else_of_ours) {
  const fs::path secret = temp_.path() / "secret";
  const fs::path shown = temp_.path() / "shown";
  std::ofstream(secret) << "hunter2";
  std::ofstream(shown) << "hello";
  const CompilerCall call{.program = fake_compiler(temp_.path() / "prefix", "cat \"$@\"; exit 3"),
                          .arguments = {shown.string(), secret.string()},
                          .readable = {shown}};
  const auto run =
      run_compiler(call, jails_for_tests(), Deadline(clock_, std::chrono::seconds(10)), {});
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_FALSE(succeeded(*run));
  EXPECT_EQ(describe_end(*run), "exited with code 3");
  EXPECT_THAT(run->output, HasSubstr("hello"));
  EXPECT_THAT(run->output, ::testing::Not(HasSubstr("hunter2")));
}

TEST_F(CompilerTest, a_compiler_killed_by_somebody_else_is_not_the_fault_of_its_source) {
  const auto run = [&](const char* script) {
    const fs::path path = fake_compiler(temp_.path() / "prefix", script);
    return run_compiler({.program = path}, jails_for_tests(),
                        Deadline(clock_, std::chrono::seconds(30)), {});
  };
  EXPECT_EQ(run("kill -9 $$").error().code(), ErrorCode::unavailable);
  EXPECT_EQ(run("echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1")
                .error()
                .code(),
            ErrorCode::unavailable);
  EXPECT_EQ(run("echo 'collect2: fatal error: ld terminated with signal 9 [Killed]'; exit 1")
                .error()
                .code(),
            ErrorCode::unavailable);
  EXPECT_TRUE(run("echo 'kernel.cu:1:2: error: ld terminated with signal 9 [Killed]'; exit 1"));
  EXPECT_TRUE(
      run("echo 'kernel.cu:1:2: fatal error: Killed signal terminated program cc1plus'; exit 1"));
}

TEST_F(CompilerTest, a_run_ends_at_its_deadline_or_when_stopped) {
  const CompilerCall call{.program = fake_compiler(temp_.path() / "prefix", "sleep 100")};
  const auto late =
      run_compiler(call, jails_for_tests(), Deadline(clock_, std::chrono::milliseconds(100)), {});
  ASSERT_TRUE(late) << late.error().message();
  EXPECT_EQ(describe_end(*late), "ran out of time");

  std::stop_source stop;
  stop.request_stop();
  const auto stopped = run_compiler(call, jails_for_tests(),
                                    Deadline(clock_, std::chrono::seconds(10)), stop.get_token());
  EXPECT_EQ(stopped.error().code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace assay::compile
