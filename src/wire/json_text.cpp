#include "wire/json_text.hpp"

#include <string>
#include <string_view>

#include "wire/fields.hpp"

namespace assay::wire {

// Here alone: the library's parser and writer would be compiled again in every file that has them.
std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse(std::string_view text) {
  return Json::parse(text);
}

}  // namespace assay::wire
