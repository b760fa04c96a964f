#include "python/interpreter.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "process/jail_support.hpp"

namespace assay::python {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Interpreter, says_what_it_is) {
  const auto found = read_description("/opt/env/bin/python",
                                      "version=3.11.7\ntorch=2.11.0\nroot=/opt/env\n"
                                      "root=/usr/lib/python3\nroot=/opt/env/lib\nroot=/srv/py\n");
  EXPECT_EQ(found.value().describe(), "Python 3.11.7, torch 2.11.0");
  EXPECT_THAT(found.value().roots, ElementsAre("/opt/env", "/srv/py"));
  EXPECT_TRUE(found.value().triton.empty());
}

TEST(Interpreter, program_that_says_nothing_of_itself_is_none) {
  EXPECT_EQ(read_description("/bin/true", "").error().code(), ErrorCode::not_found);
}

TEST(Interpreter, python_of_this_machine_is_found_and_inspected) {
  const process::JailSupport no_jail;
  const SystemClock clock;
  const auto found = inspect("/usr/bin/python3", no_jail, clock);
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs /usr/bin/python3";
  EXPECT_THAT(found.value().version, HasSubstr("3."));
}

TEST(Interpreter, named_program_that_is_not_there_is_an_error_that_names_it) {
  const process::JailSupport no_jail;
  const SystemClock clock;
  const auto found = find_interpreter(std::filesystem::path("/nowhere/python"), no_jail, clock);
  EXPECT_THAT(found.error().message(), HasSubstr("/nowhere/python"));
}

}  // namespace
}  // namespace assay::python
