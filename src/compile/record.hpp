#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace assay::compile {

using RecordFields = std::vector<std::pair<std::string, std::string>>;

/// Named byte strings as one text that begins with its own digest. Names hold no white space.
[[nodiscard]] std::string encode_record(const RecordFields& fields);

/// Fails with `data_loss` unless `text` is, byte for byte, what encode_record gave.
[[nodiscard]] Result<RecordFields> decode_record(std::string_view text);

/// The value of the first field so named; empty where there is none.
[[nodiscard]] std::string_view field_of(const RecordFields& fields, std::string_view name);

}  // namespace assay::compile
