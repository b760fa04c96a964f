#include "wire/real_text.hpp"

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

namespace assay::wire {

std::string real_text(double value) {
  return fmt::format("{}", value);
}

double read_real(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc::invalid_argument || end != text.data() + text.size()) {
    throw std::invalid_argument("not a number");
  }
  return value;
}

}  // namespace assay::wire
