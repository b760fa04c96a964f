#include "model/kernel_choice.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <regex.h>

namespace assay {
namespace {

constexpr std::size_t kLongest = 200;

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_.*+?^$|()[]-").find(c) != std::string_view::npos;
}

/// POSIX's expressions: without references back, glibc matches them in one go, whatever they are.
class Expression {
 public:
  explicit Expression(const std::string& text)
      : status_(::regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  Expression(Expression&&) = delete;
  Expression& operator=(Expression&&) = delete;
  ~Expression() {
    if (status_ == 0) ::regfree(&compiled_);
  }

  [[nodiscard]] std::string mistake() const {
    if (status_ == 0) return {};
    std::array<char, 200> text{};
    ::regerror(status_, &compiled_, text.data(), text.size());
    return text.data();
  }
  [[nodiscard]] bool is_in(const std::string& name) const {
    return status_ == 0 && ::regexec(&compiled_, name.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  int status_;
};

}  // namespace

std::optional<std::string> mistake_in_expression(std::string_view expression) {
  if (expression.empty() || expression.size() > kLongest) {
    return fmt::format("must have 1 to {} characters", kLongest);
  }
  const auto odd = std::ranges::find_if_not(expression, is_allowed);
  if (odd != expression.end()) {
    return fmt::format("may have letters, digits and _.*+?^$|()[]-, not '{}'",
                       expression.substr(static_cast<std::size_t>(odd - expression.begin()), 1));
  }
  const std::string mistake = Expression(std::string(expression)).mistake();
  if (mistake.empty()) return std::nullopt;
  return fmt::format("is no regular expression: {}", mistake);
}

bool has_expression(const std::string& name, const std::string& expression) {
  return !mistake_in_expression(expression) && Expression(expression).is_in(name);
}

}  // namespace assay
