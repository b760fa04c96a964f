#include "trace/json_writer.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {

void JsonWriter::before_element() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!has_elements_.empty()) {
    if (has_elements_.back()) out_ += ',';
    has_elements_.back() = true;
  }
  if (line_pending_) out_ += '\n' + std::string(2 * has_elements_.size(), ' ');
  line_pending_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  before_element();
  out_ += bracket;
  has_elements_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  assert(!has_elements_.empty() && !after_key_);
  const bool broken = line_pending_ && has_elements_.back();
  line_pending_ = false;
  has_elements_.pop_back();
  if (broken) out_ += '\n' + std::string(2 * has_elements_.size(), ' ');
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_element();
  append_string(name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  before_element();
  append_string(text);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  before_element();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::integer(std::uint64_t value) {
  before_element();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::real(double value) {
  before_element();
  if (!std::isfinite(value)) {
    out_ += "null";
    return *this;
  }
  std::array<char, 32> buffer{};  // the shortest form of a double needs at most 24
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out_.append(buffer.data(), end);
  return *this;
}

JsonWriter& JsonWriter::cell(const Cell& value) {
  std::visit(
      [this](const auto& held) {
        using T = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          before_element();
          out_ += "null";
        } else if constexpr (std::is_same_v<T, double>) {
          real(held);
        } else if constexpr (std::is_same_v<T, std::string>) {
          string(held);
        } else {
          integer(held);
        }
      },
      value.value());
  return *this;
}

JsonWriter& JsonWriter::new_line() {
  line_pending_ = true;
  return *this;
}

std::string JsonWriter::take() && {
  assert(has_elements_.empty());
  return std::move(out_);
}

void JsonWriter::append_string(std::string_view text) {
  out_ += '"';
  for (const char c : to_valid_utf8(text)) {
    switch (c) {
      case '"':
        out_ += "\\\"";
        break;
      case '\\':
        out_ += "\\\\";
        break;
      case '\n':
        out_ += "\\n";
        break;
      case '\r':
        out_ += "\\r";
        break;
      case '\t':
        out_ += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20U) {
          out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out_ += c;
        }
    }
  }
  out_ += '"';
}

}  // namespace assay::trace
