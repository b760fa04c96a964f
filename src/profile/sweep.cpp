#include "profile/sweep.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::profile {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

std::string in_braces(const std::string& name) {
  return "{" + name + "}";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string label_of(const SweepPoint& point) {
  std::string out;
  for (const auto& [name, value] : point.values) {
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, value);
  }
  const std::string whole = out;
  for (char& c : out) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("=,._-").find(c) != std::string_view::npos;
    if (!plain) c = '_';
  }
  if (out == whole) return out;
  // "a/b" and "a b" are two points: one must not be taken for the other that was done before.
  Hasher hasher;
  hasher.field(whole);
  return out + "-" + hasher.finish().hex().substr(0, 6);
}

}  // namespace

Result<SweepAxis> parse_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  SweepAxis axis{.name = std::string(text.substr(0, equals))};
  if (equals != std::string_view::npos) {
    for (std::string_view rest = text.substr(equals + 1);;) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view value = rest.substr(0, comma);
      if (std::ranges::find(axis.values, value) != axis.values.end()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("--sweep '{}': {} stands there twice", text, value));
      }
      if (!value.empty()) axis.values.emplace_back(value);
      if (comma == rest.size()) break;
      rest.remove_prefix(comma + 1);
    }
  }
  if (is_name(axis.name) && !axis.values.empty()) return axis;
  return fail(ErrorCode::invalid_argument,
              fmt::format("--sweep '{}': write name=value,value, as in batch=1,8,32", text));
}

Result<std::vector<SweepPoint>> expand_sweep(const std::vector<SweepAxis>& axes,
                                             const std::vector<std::string>& command) {
  std::vector<SweepPoint> points(1);
  points.front().command = command;
  for (const SweepAxis& axis : axes) {
    const std::string mark = in_braces(axis.name);
    const bool used = std::ranges::any_of(
        command, [&](const std::string& word) { return word.find(mark) != std::string::npos; });
    if (!used) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("--sweep {0}: the command has no {{{0}}} to put its values in", axis.name));
    }
    std::vector<SweepPoint> next;
    for (const SweepPoint& point : points) {
      for (const std::string& value : axis.values) {
        SweepPoint& more = next.emplace_back(point);
        more.values.emplace_back(axis.name, value);
        for (std::string& word : more.command) replace_all(word, mark, value);
      }
    }
    points = std::move(next);
  }
  for (SweepPoint& point : points) point.label = label_of(point);
  return points;
}

std::filesystem::path sweep_folder(const std::filesystem::path& root,
                                   const std::vector<SweepAxis>& axes,
                                   const std::vector<std::string>& command) {
  Hasher hasher;
  for (const SweepAxis& axis : axes) hasher.field(axis.name);
  for (const std::string& word : command) hasher.field(word);
  return root / ("sweep-" + hasher.finish().hex().substr(0, 12));
}

}  // namespace assay::profile
