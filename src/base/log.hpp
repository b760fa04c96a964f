#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/result.hpp"

namespace assay {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

[[nodiscard]] std::string_view to_string(LogLevel level);
[[nodiscard]] Result<LogLevel> parse_log_level(std::string_view name);

/// Writes one line per event to a descriptor, in a single write, so that lines of several
/// threads and processes never mix. Format: `2026-01-31T12:00:00.123Z info  store: message`.
class Log {
 public:
  explicit Log(int fd, LogLevel threshold = LogLevel::info) : fd_(fd), threshold_(threshold) {}

  void write(LogLevel level, std::string_view component, std::string_view message) const;

  template <class... Args>
  void debug(std::string_view component, fmt::format_string<Args...> format, Args&&... args) const {
    if (threshold_ > LogLevel::debug) return;
    write(LogLevel::debug, component, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void info(std::string_view component, fmt::format_string<Args...> format, Args&&... args) const {
    if (threshold_ > LogLevel::info) return;
    write(LogLevel::info, component, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(std::string_view component, fmt::format_string<Args...> format,
               Args&&... args) const {
    if (threshold_ > LogLevel::warning) return;
    write(LogLevel::warning, component, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void error(std::string_view component, fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::error, component, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  int fd_;  // borrowed: standard error, or a file the caller keeps open
  LogLevel threshold_;
};

}  // namespace assay
