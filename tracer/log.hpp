#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace assay::tracer {

/// A line that begins with this is for the user: `assay profile` tells it.
inline constexpr std::string_view kProblem = "problem: ";

/// The text file beside a process's timeline. Never standard error: that is the program's own.
class Log {
 public:
  explicit Log(std::filesystem::path path) : path_(std::move(path)) {}

  void say(std::string_view line) const;
  void problem(std::string_view line) const { say(std::string(kProblem) + std::string(line)); }

 private:
  std::filesystem::path path_;
};

}  // namespace assay::tracer
