#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

/// Reads a trace of the PyTorch profiler (Chrome JSON, plain or gzip) as a stream: memory holds
/// the columns, never the text. Times count from the first event. Fails with `data_loss`, naming
/// the byte, where the JSON or the compression is broken, and with `invalid_argument` where it is
/// JSON of something else.
[[nodiscard]] Result<Trace> read_kineto(const std::filesystem::path& path);

/// The same of JSON in memory.
[[nodiscard]] Result<Trace> parse_kineto(std::string_view json);

}  // namespace assay::trace
