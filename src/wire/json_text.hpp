#pragma once

// Private to wire.

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Compact text. Bytes that are not UTF-8 (a compiler's log, a program's output) are replaced;
/// NaN and infinities become null.
[[nodiscard]] std::string dump(const Json& value);

/// How many brackets may stand in one another. The library writes by recursion, and a deep text
/// would use up the stack of whoever writes it. It also takes a hundred times its size.
inline constexpr int kDeepest = 100;
[[nodiscard]] bool is_too_deep(std::string_view text);

/// Throws what the library throws for text that is no JSON, and std::invalid_argument if it is too
/// deep.
[[nodiscard]] Json parse(std::string_view text);

/// Parses `text` and hands it to `read`. The library throws if something is missing or mistyped.
/// The exception ends here, as an Error with `code`.
template <class Read>
auto read_guarded(ErrorCode code, std::string_view what, std::string_view text, Read read)
    -> Result<std::invoke_result_t<Read, const Json&>> {
  try {
    return read(parse(text));
  } catch (const std::exception& error) {
    return fail(code, fmt::format("{}: {}", what, error.what()));
  }
}

}  // namespace assay::wire
