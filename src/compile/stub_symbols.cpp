#include "compile/stub_symbols.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace assay::compile {
namespace {

/// "void scale<float>(float const*, int)" without its parameters and its result.
std::string_view without_signature(std::string_view function) {
  if (function.ends_with(')')) {
    int depth = 0;
    for (std::size_t i = function.size(); i-- > 0;) {
      if (function[i] == ')') ++depth;
      if (function[i] == '(' && --depth == 0) {
        function = function.substr(0, i);
        break;
      }
    }
  }
  constexpr std::string_view kResult = "void ";
  if (function.starts_with(kResult)) function.remove_prefix(kResult.size());
  return function;
}

/// The name split() gives to what has none, which sources do not write.
std::string written(std::string_view name) {
  constexpr std::string_view kUnnamed = "assay_anonymous::";
  std::string text(name);
  for (std::size_t at = text.find(kUnnamed); at != std::string::npos; at = text.find(kUnnamed)) {
    text.erase(at, kUnnamed.size());
  }
  return text;
}

}  // namespace

std::vector<StubSymbol> find_stubs(const std::vector<std::string>& symbols,
                                   const std::vector<std::string>& demangled,
                                   const std::vector<std::string>& kernels) {
  const std::unordered_set<std::string_view> wanted(kernels.begin(), kernels.end());
  std::vector<StubSymbol> stubs;
  for (std::size_t i = 0; i < std::min(symbols.size(), demangled.size()); ++i) {
    const std::string_view expression = without_signature(demangled[i]);
    const std::string name = written(expression.substr(0, expression.find('<')));
    if (!wanted.contains(name)) continue;
    stubs.push_back({symbols[i], std::string(expression)});
  }
  return stubs;
}

}  // namespace assay::compile
