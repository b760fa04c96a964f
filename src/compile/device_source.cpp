#include "compile/device_source.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::compile {
namespace {

bool stays(std::span<const simt::Token> heading) {
  return std::ranges::any_of(heading, [](const simt::Token& token) {
    return token.is("__global__") || token.is("__device__") || token.is("constexpr") ||
           token.in_directive;
  });
}

}  // namespace

std::string without_host_functions(std::string_view source) {
  const std::vector<simt::Token> tokens = simt::lex(source);
  const simt::Structure structure = simt::find_structure(tokens);
  std::string result(source);
  for (const simt::FunctionBody& function : structure.functions) {
    if (function.close >= tokens.size()) continue;  // never closed: the compiler will say so
    const auto heading =
        std::span(tokens).subspan(function.declaration, function.open - function.declaration);
    if (stays(heading)) continue;
    const std::size_t begin = tokens[function.declaration].offset;
    const std::size_t end = tokens[function.close].end();
    std::replace_if(
        result.begin() + static_cast<std::ptrdiff_t>(begin),
        result.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; }, ' ');
  }
  return result;
}

}  // namespace assay::compile
