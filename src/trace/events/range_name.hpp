#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::trace {

/// The name without what makes every instance of it different: PyTorch's `emit_nvtx` appends
/// ", seq = 7, op_id = 12, sizes = [...]", its profiler numbers "ProfilerStep#12".
[[nodiscard]] std::string_view canonical_range_name(std::string_view name);

/// Whether a library or framework named the range rather than the program's author.
[[nodiscard]] bool is_automatic_range(std::string_view name, std::string_view domain);

/// How long the id is that begins at a place of a name: a UUID, or eight or more hexadecimal digits
/// with a letter and a number among them. 0 where none does.
[[nodiscard]] std::size_t id_length(std::string_view name, std::size_t at);

/// "Warm-up Step 3" and "Warm-up Step 4" both as "Warm-up Step #": the steps of one loop. An id is
/// a number too.
[[nodiscard]] std::string numberless(std::string_view name);

}  // namespace assay::trace
