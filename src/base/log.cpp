#include "base/log.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/result.hpp"

namespace assay {
namespace {

constexpr std::array kLevels = {LogLevel::debug, LogLevel::info, LogLevel::warning,
                                LogLevel::error};

std::string timestamp() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
  const auto since_epoch = now.time_since_epoch();
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(since_epoch).count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     (since_epoch % std::chrono::seconds(1)).count());
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  std::unreachable();
}

Result<LogLevel> parse_log_level(std::string_view name) {
  for (const LogLevel level : kLevels) {
    if (to_string(level) == name) return level;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("log level '{}' is none of debug, info, warning, error", name));
}

void Log::write(LogLevel level, std::string_view component, std::string_view message) const {
  if (level < threshold_) return;
  // One event, one line, whatever a message carries.
  const std::string line = fmt::format("{} {:7} {}: {}\n", timestamp(), to_string(level), component,
                                       printable_line(message));
  // A log that cannot be written must not stop the work it describes.
  [[maybe_unused]] const ssize_t ignored = ::write(fd_, line.data(), line.size());
}

}  // namespace assay
