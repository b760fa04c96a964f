#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

/// Reads RFC 4180 records from text that may hold other lines between them. The tools print their
/// CSV into the stream into which the profiled program prints its own output.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  /// The next record; nothing at the end. A quoted field may hold commas, quotes and line feeds. A
  /// field whose quote is never closed ends with its line, and its record counts as malformed.
  [[nodiscard]] std::optional<std::vector<std::string>> next();

  /// The rest of the current line, without reading it as a record.
  [[nodiscard]] std::string_view peek_line() const;
  void skip_line();

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t malformed() const { return malformed_; }

 private:
  std::string read_field();
  std::string read_quoted();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t malformed_ = 0;
};

}  // namespace assay::trace
