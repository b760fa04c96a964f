#include "compile/extension_units.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
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

/// The last token of PYBIND11_MODULE(...) {...}; nothing where it is not whole.
std::optional<std::size_t> end_of_module(const std::vector<simt::Token>& tokens,
                                         std::size_t start) {
  if (start + 1 >= tokens.size() || !tokens[start + 1].is("(")) return std::nullopt;
  const std::size_t brace = simt::closing(tokens, start + 1) + 1;
  if (brace >= tokens.size() || !tokens[brace].is("{")) return std::nullopt;
  const std::size_t end = simt::closing(tokens, brace);
  return end < tokens.size() ? std::optional(end) : std::nullopt;
}

}  // namespace

bool only_declares(std::string_view source) {
  const std::vector<simt::Token> tokens = simt::lex(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].starts_directive) {
      if (i + 1 == tokens.size() || !tokens[i + 1].is("include")) return false;
    } else if (tokens[i].is("PYBIND11_MODULE")) {
      const auto end = end_of_module(tokens, i);
      if (!end) return false;
      i = *end;
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

std::optional<std::string> bound_kernel(const ExtensionCall& call) {
  std::set<std::string, std::less<>> kernels;
  for (const ExtensionSource& source : call.sources) {
    const auto tokens = simt::lex(source.text);
    for (const auto& kernel : simt::find_structure(tokens).kernels) kernels.insert(kernel.name);
  }
  if (kernels.empty()) return std::nullopt;
  for (const ExtensionSource& source : call.sources) {
    const auto tokens = simt::lex(source.text);
    for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
      const bool binds = tokens[i].is("def") && tokens[i + 1].is("(") &&
                         tokens[i + 2].kind == simt::TokenKind::text && tokens[i + 3].is(",");
      if (!binds) continue;
      std::size_t bound = i + 4;  // &f, f, or torch's wrap_pybind_function(f)
      while (bound + 1 < tokens.size() && !kernels.contains(tokens[bound].spelling) &&
             (tokens[bound].is("&") || tokens[bound].is("torch") || tokens[bound].is("::") ||
              tokens[bound].is("wrap_pybind_function") || tokens[bound].is("("))) {
        ++bound;
      }
      if (kernels.contains(tokens[bound].spelling)) return std::string(tokens[bound].spelling);
    }
  }
  return std::nullopt;
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
