#pragma once

#include <string>
#include <string_view>

namespace assay::wire {

/// Where and why `text` is not JSON, for people: "line 3, column 5: unexpected '}'; expected string
/// literal". Lines and columns count from 1. Empty where it is JSON.
[[nodiscard]] std::string json_mistake(std::string_view text);

}  // namespace assay::wire
