#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

/// Reads a trace of the PyTorch profiler (Chrome JSON, plain or gzip) as a stream. Memory holds the
/// columns, never the text. Times count from the first event. If the JSON or the compression is
/// broken, it fails with `data_loss` and names the byte. If it is JSON of something else, it fails
/// with `invalid_argument`.
[[nodiscard]] Result<Trace> read_kineto(const std::filesystem::path& path);

/// The same of JSON in memory.
[[nodiscard]] Result<Trace> parse_kineto(std::string_view json);

}  // namespace assay::trace
