#include "compile/extension_units.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "model/extension.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::compile {
namespace {

/// The last token of PYBIND11_MODULE(...) {...}, or `start` where it is not whole.
std::size_t end_of_module(const std::vector<simt::Token>& tokens, std::size_t start) {
  if (start + 1 >= tokens.size() || !tokens[start + 1].is("(")) return start;
  const std::size_t brace = simt::closing(tokens, start + 1) + 1;
  if (brace >= tokens.size() || !tokens[brace].is("{")) return start;
  const std::size_t end = simt::closing(tokens, brace);
  return end < tokens.size() ? end : start;
}

}  // namespace

bool only_declares(std::string_view source) {
  const std::vector<simt::Token> tokens = simt::lex(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].starts_directive) {
      if (i + 1 == tokens.size() || !tokens[i + 1].is("include")) return false;
    } else if (tokens[i].is("PYBIND11_MODULE")) {
      i = end_of_module(tokens, i);
    } else if (tokens[i].is("{")) {
      return false;
    }
  }
  return true;
}

bool may_be_joined(const ExtensionCall& call) {
  if (call.sources.size() != 2) return false;
  const auto host = std::ranges::find(call.sources, false, &ExtensionSource::is_cuda);
  return host != call.sources.end() &&
         std::ranges::count(call.sources, true, &ExtensionSource::is_cuda) == 1 &&
         only_declares(host->text);
}

std::string macros_of(std::span<const std::string> flags) {
  std::string lines;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool defines = flags[i].starts_with("-D");
    if (!defines && !flags[i].starts_with("-U")) continue;
    std::string_view macro = std::string_view(flags[i]).substr(2);
    if (macro.empty() && i + 1 < flags.size()) macro = flags[++i];
    const std::size_t equals = std::min(macro.find('='), macro.size());
    lines += fmt::format("#{} {}", defines ? "define" : "undef", macro.substr(0, equals));
    if (defines)
      lines += equals == macro.size() ? " 1" : fmt::format(" {}", macro.substr(equals + 1));
    lines += '\n';
  }
  return lines;
}

}  // namespace assay::compile
