#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

namespace assay {

/// The name of a control group that a process of ours makes: assay-PID-STARTED-RANDOM. Pid and
/// start time say whose it is. A server may itself live in a group with a name such as
/// assay-gpu-node-1.service, which is none of these.
struct GroupName {
  static constexpr std::size_t kRandomDigits = 8;

  std::uint64_t pid;
  std::uint64_t started;  // in ticks since the machine's start, as in /proc/PID/stat
  std::string random;     // hexadecimal

  [[nodiscard]] std::string text() const {
    return fmt::format("assay-{}-{}-{}", pid, started, random);
  }

  /// Nothing for what is not such a name.
  [[nodiscard]] static std::optional<GroupName> parse(std::string_view text) {
    GroupName name{};
    const auto drop = [&text](std::string_view prefix) {
      const bool there = text.starts_with(prefix);
      if (there) text.remove_prefix(prefix.size());
      return there;
    };
    const auto take = [&text](std::uint64_t& number) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      return error == std::errc{};
    };
    if (!drop("assay-") || !take(name.pid) || !drop("-") || !take(name.started) || !drop("-") ||
        text.size() != kRandomDigits ||
        text.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
      return std::nullopt;
    }
    name.random = text;
    return name;
  }
};

}  // namespace assay
