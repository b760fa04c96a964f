#pragma once

// Private to wire. The read_ functions throw what the JSON library throws; their callers catch.

#include <vector>

#include "model/extension.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Does not say whether calls are instrumented: whoever has them built decides that.
[[nodiscard]] Json calls_json(const std::vector<ExtensionCall>& calls);
/// Keys and names are checked: they become parts of file names and of sources.
[[nodiscard]] std::vector<ExtensionCall> read_calls(const Json& json);

}  // namespace assay::wire
