#pragma once

// Private to wire.

#include <string>

#include "wire/fields.hpp"

namespace assay::wire {

/// Compact text. Bytes that are not UTF-8 (a compiler's log, a program's output) are replaced;
/// NaN and infinities become null.
[[nodiscard]] inline std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace assay::wire
