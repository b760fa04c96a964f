#include "simt/diagnostics.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace assay::simt {
namespace {

constexpr std::size_t kMostMessages = 20;  // past these, more do not help to fix the first

struct Message {
  std::uint32_t line;
  std::string_view text;  // "error: ..."
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<std::uint32_t> leading_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

/// The number of the line after this one, if this is a #line.
std::optional<std::uint32_t> renumbering(std::string_view line) {
  constexpr std::string_view kDirective = "#line ";
  return line.starts_with(kDirective) ? leading_number(line.substr(kDirective.size()))
                                      : std::nullopt;
}

/// "kernel.cu:12:5: error: ..." split up; nothing for lines about other files.
std::optional<Message> parse(std::string_view line, std::string_view file_name) {
  if (!line.starts_with(file_name) || line.substr(file_name.size(), 1) != ":") return {};
  line.remove_prefix(file_name.size() + 1);
  const auto number = leading_number(line);
  const std::size_t text = line.find(": ");
  if (!number || text == std::string_view::npos) return {};
  return Message{*number, line.substr(text + 2)};
}

/// The last line that compilers call so.
std::optional<std::string_view> line_called(std::string_view source, std::uint32_t number) {
  std::optional<std::string_view> found;
  std::uint32_t current = 1;
  for (const std::string_view line : lines_of(source)) {
    if (current == number) found = line;
    current = renumbering(line).value_or(current + 1);
  }
  return found;
}

/// What the translator wrote into the source must not show in a message about it.
std::string without_our_names(std::string_view text) {
  std::string result(text);
  for (const std::string_view ours : {"::assay::simt::", "assay::simt::"}) {
    for (std::size_t at = 0; (at = result.find(ours, at)) != std::string::npos;) {
      result.erase(at, ours.size());
    }
  }
  return result;
}

bool is_noise(std::string_view text) {
  return text.find("assay_a") != std::string_view::npos &&
         (text.starts_with("note") || text.find("required from") != std::string_view::npos);
}

}  // namespace

std::string readable_log(std::string_view compiler_output, std::span<const NamedSource> sources) {
  std::string log;
  std::string last;
  std::size_t count = 0;
  std::string elsewhere;  // first error outside the user's files, if there is nothing better
  for (const std::string_view line : lines_of(compiler_output)) {
    const auto source = std::ranges::find_if(
        sources, [&](const NamedSource& one) { return parse(line, one.name).has_value(); });
    if (source == sources.end()) {
      if (elsewhere.empty() && line.find("error: ") != std::string_view::npos) {
        elsewhere = line.substr(line.find("error: "));
      }
      continue;
    }
    const Message message = *parse(line, source->name);
    if (is_noise(message.text)) continue;
    std::string shown =
        fmt::format("{}:{}: {}\n", source->name, message.line, without_our_names(message.text));
    if (shown == last) continue;  // a template instance repeats itself
    if (count++ == kMostMessages) {
      log += "further messages left out\n";
      break;
    }
    last = shown;
    log += shown;
    if (const auto text = line_called(source->text, message.line)) {
      log += fmt::format("{:>5} | {}\n", message.line, *text);
    }
  }
  const bool explained =
      log.find(": error") != std::string::npos || log.find(": fatal error") != std::string::npos;
  if (!explained && !elsewhere.empty()) log += without_our_names(elsewhere) + "\n";
  return log;
}

std::uint32_t presumed_line(std::string_view source, std::uint32_t place) {
  std::uint32_t current = 1;
  std::uint32_t at = 1;
  for (const std::string_view line : lines_of(source)) {
    if (at++ == place) break;
    current = renumbering(line).value_or(current + 1);
  }
  return current;
}

}  // namespace assay::simt
