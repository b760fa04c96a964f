#include "wire/json_text.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "wire/fields.hpp"

namespace assay::wire {

// Here alone: the library's parser and writer would be compiled again in every file that has them.
std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

Json parse(std::string_view text) {
  if (is_too_deep(text)) throw std::invalid_argument("it is nested too deeply");
  return Json::parse(text);
}

}  // namespace assay::wire
