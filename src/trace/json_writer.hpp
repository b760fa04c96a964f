#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/table.hpp"

namespace assay::trace {

/// Writes JSON in the order it is told. Integers are exact. A double is the shortest text that
/// reads back as the same double. JSON cannot hold NaN and infinities, so they become null.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& string(std::string_view text);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& integer(std::uint64_t value);
  JsonWriter& real(double value);
  JsonWriter& cell(const Cell& value);

  /// Starts a new, indented line before the next element or closing bracket.
  JsonWriter& new_line();

  /// The text written; every bracket must have been closed.
  [[nodiscard]] std::string take() &&;

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void before_element();
  void append_string(std::string_view text);

  std::string out_;
  std::vector<bool> has_elements_;  // one per open bracket
  bool after_key_ = false;
  bool line_pending_ = false;
};

}  // namespace assay::trace
