#pragma once

// Private to wire: reads JSON objects as leniently as clients of the compatible API expect ("12" is
// an integer, 10.5 is not). Collects every error with its path.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "model/names.hpp"
#include "wire/decode_error.hpp"

namespace assay::wire {

using Json = nlohmann::json;
using Path = std::vector<std::string>;

/// The longest list that a request may have, and the most members of an object that name things.
inline constexpr std::size_t kLongestList = 4096;

class Errors {
 public:
  /// The first of them are enough: a body can have millions.
  void add(Path path, std::string message, std::string type) {
    if (!full()) errors_.push_back({std::move(path), std::move(message), std::move(type)});
  }
  [[nodiscard]] bool empty() const { return errors_.empty(); }
  [[nodiscard]] bool full() const { return errors_.size() >= kMost; }
  [[nodiscard]] std::vector<FieldError> take() && { return std::move(errors_); }

  /// Counts bytes of tensors that the request makes us hold, however small it is itself. False if
  /// they are too many.
  [[nodiscard]] bool hold(std::uint64_t bytes) {
    if (bytes > kMostHeld - held_) return false;
    held_ += bytes;
    return true;
  }
  static constexpr std::uint64_t kMostHeld = std::uint64_t{1} << 30U;

 private:
  static constexpr std::size_t kMost = 100;
  std::vector<FieldError> errors_;
  std::uint64_t held_ = 0;
};

/// "Input should be a number, not 'many'": what is wanted and what was given. A value that would
/// fill a page is left out.
[[nodiscard]] std::string not_a(std::string_view wanted, const Json& given);

/// One value and where it stands. Each read_ function gives the value or records an error.
class Field {
 public:
  Field(const Json& value, Path path, Errors& errors)
      : value_(value), path_(std::move(path)), errors_(errors) {}

  [[nodiscard]] const Json& value() const { return value_; }
  [[nodiscard]] const Path& path() const { return path_; }
  [[nodiscard]] Errors& errors() const { return errors_; }
  std::nullopt_t refuse(std::string message, std::string type) const {
    errors_.add(path_, std::move(message), std::move(type));
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> read_string() const;
  [[nodiscard]] std::optional<std::int64_t> read_int() const;
  [[nodiscard]] std::optional<double> read_float() const;
  [[nodiscard]] std::optional<bool> read_bool() const;
  /// 64 bits: an integer of either sign, or sixteen hexadecimal digits as provenance shows them.
  [[nodiscard]] std::optional<std::uint64_t> read_bits() const;
  /// An integer within [low, high].
  [[nodiscard]] std::optional<std::int64_t> read_int_within(std::int64_t low,
                                                            std::int64_t high) const;

  template <class Enum, std::size_t N>
  [[nodiscard]] std::optional<Enum> read_enum(const NameTable<Enum, N>& names) const {
    if (value_.is_string()) {
      if (const auto found = value_in(names, value_.template get_ref<const std::string&>())) {
        return found;
      }
    }
    std::string known;
    for (std::size_t i = 0; i < N; ++i) {
      if (i > 0) known += i + 1 == N ? " or " : ", ";
      known += fmt::format("'{}'", names[i].second);
    }
    return refuse(not_a(known, value_), "enum");
  }

  /// The elements of a list, each a Field; nothing (and an error) where it is no list.
  [[nodiscard]] std::optional<std::vector<Field>> read_list() const;

 private:
  const Json& value_;
  Path path_;
  Errors& errors_;
};

/// The members of an object.
class Object {
 public:
  /// Records an error where `field` is no object; then every lookup finds nothing.
  explicit Object(const Field& field);

  [[nodiscard]] bool valid() const { return valid_; }
  /// A member that is there and not null.
  [[nodiscard]] std::optional<Field> find(std::string_view key) const;
  /// Records `missing` where it is not there.
  [[nodiscard]] std::optional<Field> require(std::string_view key) const;
  /// Records `extra_forbidden` for every other key, with the one that may have been meant. Not
  /// `plain`: in the words that clients of the compatible API know.
  void allow_only(std::initializer_list<std::string_view> keys, bool plain = true) const;
  [[nodiscard]] Errors& errors() const { return field_.errors(); }
  [[nodiscard]] Path path_of(std::string_view key) const;

  [[nodiscard]] std::optional<std::string> string(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
  [[nodiscard]] std::optional<std::uint64_t> bits(std::string_view key) const;
  [[nodiscard]] std::optional<double> real(std::string_view key) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> strings(std::string_view key) const;

 private:
  Field field_;
  bool valid_;
};

}  // namespace assay::wire
