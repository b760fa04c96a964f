#include "wire/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/error.hpp"
#include "base/result.hpp"
#include "wire/json_mistake.hpp"
#include "wire/json_text.hpp"

namespace assay::wire {
namespace {

using Ordered = nlohmann::ordered_json;

Value from_library(const Ordered& json) {
  switch (json.type()) {
    case Ordered::value_t::object: {
      Value::Members members;
      for (const auto& [key, value] : json.items()) members.emplace_back(key, from_library(value));
      return members;
    }
    case Ordered::value_t::array: {
      Value::Elements elements;
      for (const Ordered& element : json) elements.push_back(from_library(element));
      return elements;
    }
    case Ordered::value_t::string:
      return json.get<std::string>();
    case Ordered::value_t::boolean:
      return json.get<bool>();
    case Ordered::value_t::number_integer:
      return json.get<std::int64_t>();
    case Ordered::value_t::number_unsigned:
      return json.get<std::uint64_t>();
    case Ordered::value_t::number_float:
      return json.get<double>();
    default:
      return {};
  }
}

}  // namespace

Value Value::raw(std::string json) {
  Value value;
  value.held_ = Raw{std::move(json)};
  return value;
}

Result<Value> Value::parse(std::string_view text) {
  if (is_too_deep(text)) return fail(ErrorCode::invalid_argument, "JSON that is nested too deeply");
  const Ordered json = Ordered::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return fail(ErrorCode::invalid_argument, "not JSON: " + json_mistake(text));
  return from_library(json);
}

const Value& Value::operator[](std::string_view key) const {
  static const Value kNull;
  for (const Member& member : members()) {
    if (member.first == key) return member.second;
  }
  return kNull;
}

const Value::Elements& Value::elements() const {
  static const Elements kNone;
  const auto* elements = std::get_if<Elements>(&held_);
  return elements == nullptr ? kNone : *elements;
}

const Value::Members& Value::members() const {
  static const Members kNone;
  const auto* members = std::get_if<Members>(&held_);
  return members == nullptr ? kNone : *members;
}

std::string_view Value::text() const {
  const auto* text = std::get_if<std::string>(&held_);
  return text == nullptr ? std::string_view() : *text;
}

double Value::number() const {
  if (const auto* real = std::get_if<double>(&held_)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&held_)) return static_cast<double>(*whole);
  if (const auto* whole = std::get_if<std::uint64_t>(&held_)) return static_cast<double>(*whole);
  return 0;
}

bool Value::truth() const {
  const auto* truth = std::get_if<bool>(&held_);
  return truth != nullptr && *truth;
}

Value Value::with_texts(std::string (*change)(std::string_view)) const {
  Value changed = *this;
  if (auto* text = std::get_if<std::string>(&changed.held_)) {
    *text = change(*text);
  } else if (auto* elements = std::get_if<Elements>(&changed.held_)) {
    for (Value& element : *elements) element = element.with_texts(change);
  } else if (auto* members = std::get_if<Members>(&changed.held_)) {
    for (auto& [key, member] : *members) member = member.with_texts(change);
  }
  return changed;
}

std::string Value::dump(bool pretty) const {
  const auto build = [](const auto& self, const Value& value) -> Ordered {
    return std::visit(
        [&](const auto& held) -> Ordered {
          using T = std::remove_cvref_t<decltype(held)>;
          if constexpr (std::is_same_v<T, std::monostate>) {
            return nullptr;
          } else if constexpr (std::is_same_v<T, Raw>) {
            return Ordered::parse(held.json, nullptr, false);
          } else if constexpr (std::is_same_v<T, Members>) {
            Ordered object = Ordered::object();
            for (const auto& [key, member] : held) object[key] = self(self, member);
            return object;
          } else if constexpr (std::is_same_v<T, Elements>) {
            Ordered array = Ordered::array();
            for (const Value& element : held) array.push_back(self(self, element));
            return array;
          } else {
            return held;
          }
        },
        value.held_);
  };
  return build(build, *this).dump(pretty ? 2 : -1, ' ', false, Ordered::error_handler_t::replace);
}

}  // namespace assay::wire
