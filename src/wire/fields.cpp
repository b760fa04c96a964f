#include "wire/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/nearest.hpp"
#include "base/text.hpp"

namespace assay::wire {
namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return number;
}

constexpr std::string_view kWhole = "a whole number";
constexpr std::string_view kOf64Bits = "Input should be a whole number from -2^63 to 2^63 - 1";
constexpr std::size_t kHexDigits = 16;               // of 64 bits
constexpr double kIntegersEnd = 9007199254740992.0;  // 2^53: past it a double skips integers

}  // namespace

std::string not_a(std::string_view wanted, const Json& given) {
  constexpr std::size_t kMostShown = 60;
  const std::string text = given.is_string() ? "'" + given.get<std::string>() + "'" : given.dump();
  return fmt::format("Input should be {}{}{}", wanted, text.size() > kMostShown ? "" : ", not ",
                     text.size() > kMostShown ? "" : text);
}

std::optional<std::string> Field::read_string() const {
  if (value_.is_string()) return value_.get<std::string>();
  return refuse("Input should be a string", "string_type");
}

std::optional<std::int64_t> Field::read_int() const {
  if (value_.is_boolean()) return value_.get<bool>() ? 1 : 0;
  if (value_.is_number_unsigned() && value_.get<std::uint64_t>() > INT64_MAX) {
    return refuse(std::string(kOf64Bits), "int_parsing_size");
  }
  if (value_.is_number_integer()) return value_.get<std::int64_t>();
  if (value_.is_number_float()) {
    const double number = value_.get<double>();
    if (std::trunc(number) == number && std::abs(number) <= kIntegersEnd) {
      return static_cast<std::int64_t>(number);
    }
    if (std::trunc(number) == number) {
      return refuse(std::string(kOf64Bits), "int_parsing_size");
    }
    return refuse(not_a(kWhole, value_), "int_from_float");
  }
  if (value_.is_string()) {
    const auto number = parse_whole<std::int64_t>(value_.get_ref<const std::string&>());
    if (number) return number;
    return refuse(not_a(kWhole, value_), "int_parsing");
  }
  return refuse("Input should be a whole number", "int_type");
}

std::optional<std::uint64_t> Field::read_bits() const {
  if (value_.is_number_unsigned()) return value_.get<std::uint64_t>();
  if (value_.is_string()) {
    const std::string& text = value_.get_ref<const std::string&>();
    std::uint64_t bits = 0;
    const char* const end = text.data() + text.size();
    if (text.size() == kHexDigits && std::from_chars(text.data(), end, bits, 16).ptr == end) {
      return bits;
    }
  }
  const auto number = read_int();
  if (!number) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<double> Field::read_float() const {
  if (value_.is_boolean()) return value_.get<bool>() ? 1.0 : 0.0;
  if (value_.is_number()) return value_.get<double>();
  if (value_.is_string()) {
    const auto number = parse_whole<double>(value_.get_ref<const std::string&>());
    if (number) return number;
    return refuse(not_a("a number", value_), "float_parsing");
  }
  return refuse("Input should be a number", "float_type");
}

std::optional<bool> Field::read_bool() const {
  if (value_.is_boolean()) return value_.get<bool>();
  if (value_ == Json(0) || value_ == Json(1)) return value_ == Json(1);
  if (value_.is_string()) {
    static constexpr std::array<std::string_view, 5> kTrue = {"true", "yes", "on", "1", "t"};
    static constexpr std::array<std::string_view, 5> kFalse = {"false", "no", "off", "0", "f"};
    const std::string& text = value_.get_ref<const std::string&>();
    if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
    if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  }
  return refuse("Input should be true or false", "bool_type");
}

std::optional<std::int64_t> Field::read_int_within(std::int64_t low, std::int64_t high) const {
  const auto number = read_int();
  if (!number) return std::nullopt;
  if (*number < low) {
    return refuse(fmt::format("Input should be at least {}", low), "greater_than_equal");
  }
  if (*number > high) {
    return refuse(fmt::format("Input should be at most {}", high), "less_than_equal");
  }
  return number;
}

std::optional<std::vector<Field>> Field::read_list() const {
  if (!value_.is_array()) return refuse("Input should be a list", "list_type");
  if (value_.size() > kLongestList) {
    return refuse(fmt::format("A list may have {} entries at most", kLongestList), "too_long");
  }
  std::vector<Field> elements;
  elements.reserve(value_.size());
  for (std::size_t i = 0; i < value_.size(); ++i) {
    Path path = path_;
    path.push_back(std::to_string(i));
    elements.emplace_back(value_[i], std::move(path), errors_);
  }
  return elements;
}

Object::Object(const Field& field) : field_(field), valid_(field.value().is_object()) {
  if (!valid_) field_.refuse(R"(Input should be an object: {"name": value, ...})", "model_type");
}

std::optional<Field> Object::find(std::string_view key) const {
  if (!valid_) return std::nullopt;
  const auto member = field_.value().find(key);
  if (member == field_.value().end() || member->is_null()) return std::nullopt;
  return Field(*member, path_of(key), errors());
}

std::optional<Field> Object::require(std::string_view key) const {
  if (!valid_) return std::nullopt;
  const auto member = field_.value().find(key);
  if (member == field_.value().end()) {
    errors().add(path_of(key), "Field required", "missing");
    return std::nullopt;
  }
  return Field(*member, path_of(key), errors());
}

void Object::allow_only(std::initializer_list<std::string_view> keys, bool plain) const {
  if (!valid_) return;
  for (const auto& [key, value] : field_.value().items()) {
    if (errors().full()) return;
    if (std::ranges::find(keys, std::string_view(key)) != keys.end()) continue;
    std::string message = "Extra inputs are not permitted";
    if (plain) {
      const auto meant = nearest(key, {keys.begin(), keys.end()});
      message = fmt::format("there is no field '{}'{}", key,
                            meant ? fmt::format(": did you mean {}?", *meant) : "");
    }
    errors().add(path_of(key), std::move(message), "extra_forbidden");
  }
}

Path Object::path_of(std::string_view key) const {
  Path path = field_.path();
  path.emplace_back(key);
  return path;
}

std::optional<std::string> Object::string(std::string_view key) const {
  const auto field = find(key);
  return field ? field->read_string() : std::nullopt;
}

std::optional<std::int64_t> Object::integer(std::string_view key) const {
  const auto field = find(key);
  return field ? field->read_int() : std::nullopt;
}

std::optional<std::uint64_t> Object::bits(std::string_view key) const {
  const auto field = find(key);
  return field ? field->read_bits() : std::nullopt;
}

std::optional<double> Object::real(std::string_view key) const {
  const auto field = find(key);
  return field ? field->read_float() : std::nullopt;
}

std::optional<bool> Object::boolean(std::string_view key) const {
  const auto field = find(key);
  return field ? field->read_bool() : std::nullopt;
}

std::vector<std::string> Object::strings(std::string_view key) const {
  std::vector<std::string> values;
  const auto field = find(key);
  if (!field) return values;
  const auto elements = field->read_list();
  if (!elements) return values;
  for (const Field& element : *elements) {
    if (auto text = element.read_string()) values.push_back(std::move(*text));
  }
  return values;
}

}  // namespace assay::wire
