#include "trace/render.hpp"

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/diagnostics.hpp"
#include "trace/human.hpp"
#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {

Result<Format> parse_format(std::string_view name) {
  if (name == "table") return Format::table;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  if (name == "markdown") return Format::markdown;
  if (name == "html") return Format::html;
  return fail(ErrorCode::invalid_argument,
              fmt::format("no output format '{}': table, json, csv, markdown or html", name));
}

std::string render(const Report& report, Format format, const RenderOptions& options) {
  switch (format) {
    case Format::table:
      return render_table(report, options);
    case Format::json:
      return render_json(report);
    case Format::csv:
      return render_csv(report);
    case Format::markdown:
      return render_markdown(report);
    case Format::html:
      return render_html(report);
  }
  return {};
}

std::string render_diagnostics(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& entry : diagnostics.entries()) {
    out += fmt::format("{}: {} ({})\n", entry.name, humanize(entry.count, ColumnType::integer),
                       to_one_line(entry.detail));
  }
  return out;
}

}  // namespace assay::trace
