#include "wire/decode_error.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace assay::wire {
namespace {

bool is_index(const std::string& part) {
  return !part.empty() &&
         std::ranges::all_of(part, [](unsigned char c) { return std::isdigit(c); });
}

/// Both kernels may have the same mistake: their contract is often one file.
std::vector<std::string> paths_with(const InvalidFields& error, const std::string& message) {
  std::vector<std::string> paths;
  for (const FieldError& field : error.errors) {
    if (field.message == message) paths.push_back(dotted_path(field));
  }
  return paths;
}

struct Describe {
  std::string operator()(const NotAnObject& error) const { return error.message; }
  std::string operator()(const OutOfBounds& error) const { return error.message; }
  std::string operator()(const InvalidFields& error) const {
    std::string text;
    std::vector<std::string> told;
    for (const FieldError& field : error.errors) {
      if (std::ranges::find(told, field.message) != told.end()) continue;
      told.push_back(field.message);
      if (!text.empty()) text += "; ";
      text +=
          fmt::format("{}: {}", fmt::join(paths_with(error, field.message), ", "), field.message);
    }
    return text;
  }
};

}  // namespace

std::string arrow_path(const FieldError& error) {
  return fmt::format("{}", fmt::join(error.path, " -> "));
}

std::string dotted_path(const FieldError& error) {
  std::string text;
  for (const std::string& part : error.path) {
    if (is_index(part)) {
      text += '[' + part + ']';
    } else {
      if (!text.empty()) text += '.';
      text += part;
    }
  }
  return text;
}

std::string describe(const DecodeError& error) {
  return std::visit(Describe{}, error);
}

}  // namespace assay::wire
