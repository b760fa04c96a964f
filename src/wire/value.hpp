#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace assay::wire {

/// A JSON value put together by hand, for answers that are no model of their own. Members keep
/// their order.
class Value {
 public:
  using Member = std::pair<std::string, Value>;
  using Members = std::vector<Member>;
  using Elements = std::vector<Value>;

  // Implicit, so that a body in code reads like the JSON it becomes.
  // NOLINTBEGIN(google-explicit-constructor)
  Value() = default;  // null
  Value(bool value) : held_(value) {}
  Value(double value) : held_(value) {}
  Value(std::string value) : held_(std::move(value)) {}
  Value(std::string_view value) : held_(std::string(value)) {}
  Value(const char* value) : held_(std::string(value)) {}
  Value(Members members) : held_(std::move(members)) {}
  Value(Elements elements) : held_(std::move(elements)) {}
  template <std::signed_integral T>
  Value(T value) : held_(static_cast<std::int64_t>(value)) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Value(T value) : held_(static_cast<std::uint64_t>(value)) {}
  // NOLINTEND(google-explicit-constructor)

  /// JSON text from one of our own writers, taken over as it is.
  [[nodiscard]] static Value raw(std::string json);
  [[nodiscard]] static Result<Value> parse(std::string_view text);

  /// The member of an object; a null where there is none.
  [[nodiscard]] const Value& operator[](std::string_view key) const;
  [[nodiscard]] const Elements& elements() const;  // empty where it is no array
  [[nodiscard]] const Members& members() const;    // empty where it is no object
  [[nodiscard]] std::string_view text() const;     // empty where it is no string
  [[nodiscard]] double number() const;             // 0 where it is no number
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(held_); }
  [[nodiscard]] bool truth() const;  // false where it is no boolean

  /// The same with every text in it changed; names of members stay.
  [[nodiscard]] Value with_texts(std::string (*change)(std::string_view)) const;

  /// Compact, or indented by two where `pretty`. NaN and infinities become null; bytes that are
  /// not UTF-8 are replaced.
  [[nodiscard]] std::string dump(bool pretty = false) const;

 private:
  struct Raw {
    std::string json;
  };
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Raw, Members,
               Elements>
      held_;
};

}  // namespace assay::wire
