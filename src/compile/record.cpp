#include "compile/record.hpp"

#include <charconv>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::compile {
namespace {

std::unexpected<Error> damaged() {
  return fail(ErrorCode::data_loss, "a build record fails its digest");
}

}  // namespace

std::string encode_record(const RecordFields& fields) {
  std::string body;
  for (const auto& [name, value] : fields) {
    body += fmt::format("{} {}\n{}\n", name, value.size(), value);
  }
  return sha256(body).hex() + "\n" + body;
}

Result<RecordFields> decode_record(std::string_view text) {
  const std::size_t first_line = text.find('\n');
  if (first_line == std::string_view::npos) return damaged();
  std::string_view rest = text.substr(first_line + 1);
  if (sha256(rest).hex() != text.substr(0, first_line)) return damaged();
  RecordFields fields;
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    const std::size_t line = rest.find('\n');
    if (line == std::string_view::npos || space >= line) return damaged();
    std::size_t size = 0;
    const auto parsed = std::from_chars(rest.data() + space + 1, rest.data() + line, size);
    if (parsed.ec != std::errc() || size >= rest.size() - line - 1) return damaged();
    fields.emplace_back(rest.substr(0, space), rest.substr(line + 1, size));
    rest.remove_prefix(line + 1 + size + 1);
  }
  return fields;
}

std::string_view field_of(const RecordFields& fields, std::string_view name) {
  for (const auto& [candidate, value] : fields) {
    if (candidate == name) return value;
  }
  return {};
}

}  // namespace assay::compile
