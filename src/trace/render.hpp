#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "trace/table.hpp"

namespace assay::trace {

enum class Format : std::uint8_t {
  table,     // for a person at a terminal: units scaled, numbers aligned
  json,      // base units, exact
  csv,       // base units, RFC 4180
  markdown,  // for a person in a document
  html,      // one page that holds everything, with the figures drawn
};

[[nodiscard]] Result<Format> parse_format(std::string_view name);

struct RenderOptions {
  std::size_t width = 132;  // columns of the terminal; long names are shortened to fit
};

/// The whole report in one text that ends with a line feed. CSV holds the tables alone, or the
/// findings if there are no tables. render_diagnostics gives its diagnostics.
[[nodiscard]] std::string render(const Report& report, Format format,
                                 const RenderOptions& options = {});

/// "kernel_without_api_row: 1,810 (...)", a line each; empty where there are none.
[[nodiscard]] std::string render_diagnostics(const Diagnostics& diagnostics);

// One per format, each in its own file; `render` chooses.
[[nodiscard]] std::string render_table(const Report& report, const RenderOptions& options);
[[nodiscard]] std::string render_json(const Report& report);
[[nodiscard]] std::string render_csv(const Report& report);
[[nodiscard]] std::string render_markdown(const Report& report);
[[nodiscard]] std::string render_html(const Report& report);

}  // namespace assay::trace
