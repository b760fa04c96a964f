#include "trace/csv.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

std::optional<std::vector<std::string>> CsvReader::next() {
  if (at_end()) return std::nullopt;
  std::vector<std::string> record;
  while (true) {
    record.push_back(read_field());
    if (at_end() || text_[at_] != ',') break;
    ++at_;
  }
  if (!at_end() && text_[at_] == '\r') ++at_;
  if (!at_end() && text_[at_] == '\n') ++at_;
  return record;
}

std::string_view CsvReader::peek_line() const {
  const std::string_view rest = text_.substr(std::min(at_, text_.size()));
  return rest.substr(0, rest.find_first_of("\r\n"));
}

void CsvReader::skip_line() {
  const std::size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
}

std::string CsvReader::read_field() {
  if (!at_end() && text_[at_] == '"') return read_quoted();
  const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
  std::string field(text_.substr(at_, end - at_));
  at_ = end;
  return field;
}

std::string CsvReader::read_quoted() {
  const std::size_t start = at_++;
  std::string field;
  while (true) {
    const std::size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) break;
    field += text_.substr(at_, quote - at_);
    at_ = quote + 1;
    const bool doubled = !at_end() && text_[at_] == '"';
    if (!doubled) {
      // Anything between a closing quote and the comma belongs to no field.
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      if (end != at_) ++malformed_;
      at_ = end;
      return field;
    }
    field += '"';
    ++at_;
  }
  ++malformed_;
  const std::size_t end = std::min(text_.find_first_of("\r\n", start), text_.size());
  at_ = end;
  return std::string(text_.substr(start + 1, end - start - 1));
}

}  // namespace assay::trace
