#include "base/log.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include "base/unique_fd.hpp"

namespace assay {
namespace {

std::string logged(LogLevel threshold, LogLevel level, std::string_view message) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  Log(writer.get(), threshold).write(level, "store", message);
  std::string text(256, '\0');
  const ssize_t count = ::read(reader.get(), text.data(), text.size());
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

TEST(Log, writes_one_line_with_level_component_and_message) {
  const std::string line = logged(LogLevel::info, LogLevel::warning, "two\nlines");
  EXPECT_NE(line.find("warning store: two lines\n"), std::string::npos) << line;
  EXPECT_EQ(line[10], 'T');
}

TEST(Log, message_can_neither_begin_a_line_nor_command_a_terminal) {
  const std::string line = logged(LogLevel::info, LogLevel::info, "a\r\x1b[2Kb\u009bc");
  EXPECT_NE(line.find("store: a??[2Kb?c\n"), std::string::npos) << line;
}

TEST(Log, drops_what_is_below_its_threshold) {
  EXPECT_EQ(logged(LogLevel::warning, LogLevel::info, "x"), "");
}

TEST(LogLevel, name_is_parsed_or_refused) {
  EXPECT_EQ(parse_log_level("debug").value(), LogLevel::debug);
  EXPECT_FALSE(parse_log_level("loud"));
}

}  // namespace
}  // namespace assay
