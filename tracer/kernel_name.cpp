#include "tracer/kernel_name.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <cxxabi.h>

namespace assay::tracer {
namespace {

bool opens(char c) {
  return c == '<' || c == '(' || c == '{' || c == '[';
}
bool closes(char c) {
  return c == '>' || c == ')' || c == '}' || c == ']';
}

/// Where the group that ends at `end` (its closing bracket) begins; npos where it has no beginning.
std::size_t group_begin(std::string_view text, std::size_t end) {
  std::size_t depth = 0;
  for (std::size_t i = end + 1; i-- > 0;) {
    if (closes(text[i])) ++depth;
    if (opens(text[i]) && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Without a group of these brackets at the end, if there is one.
std::string_view without_last(std::string_view text, char closing) {
  if (text.empty() || text.back() != closing) return text;
  const std::size_t begin = group_begin(text, text.size() - 1);
  return begin == std::string_view::npos || begin == 0 ? text : text.substr(0, begin);
}

}  // namespace

std::string demangled_name(const char* mangled) {
  if (mangled == nullptr) return "(unnamed)";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : mangled;
}

std::string short_name(std::string_view demangled) {
  const std::string_view function = without_last(without_last(demangled, ')'), '>');
  std::size_t depth = 0;
  for (std::size_t i = function.size(); i-- > 0;) {
    if (closes(function[i])) ++depth;
    if (opens(function[i]) && depth > 0) --depth;
    if (depth > 0 || (function[i] != ':' && function[i] != ' ')) continue;
    if (i + 1 == function.size()) continue;
    return std::string(function.substr(i + 1));
  }
  return std::string(function);
}

}  // namespace assay::tracer
