#include "simt/translate.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "simt/edits.hpp"
#include "simt/launches.hpp"
#include "simt/lexer.hpp"
#include "simt/shared_variables.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

bool is_specifier(const Token& token) {
  static constexpr std::string_view kWords[] = {
      "static",    "inline", "__inline__", "__inline", "__host__",       "__device__",
      "constexpr", "extern", "virtual",    "const",    "__forceinline__"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return token.is(word); });
}

/// __forceinline__ stands for `inline` with an attribute, and C++ allows `inline` only once.
void drop_second_inline(const std::vector<Token>& tokens, std::size_t forced, Edits& edits) {
  const auto drop = [&](std::size_t i) {
    if (tokens[i].spelling.find("inline") != std::string_view::npos && i != forced) {
      edits.replace(tokens[i].offset, tokens[i].spelling.size(), "");
    }
  };
  for (std::size_t i = forced; i-- > 0 && is_specifier(tokens[i]);) drop(i);
  for (std::size_t i = forced + 1; i < tokens.size() && is_specifier(tokens[i]); ++i) drop(i);
}

/// Inside __attribute__((...)) the word is the compiler's own.
bool is_attribute_argument(const std::vector<Token>& tokens, std::size_t i) {
  return i > 0 && (tokens[i - 1].is("(") || tokens[i - 1].is(","));
}

void rewrite_words(const std::vector<Token>& tokens, Edits& edits) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("__forceinline__")) drop_second_inline(tokens, i, edits);
    if (tokens[i].is("__noinline__") && !is_attribute_argument(tokens, i)) {
      edits.replace(tokens[i].offset, tokens[i].spelling.size(), "__attribute__((noinline))");
    }
  }
}

/// Two kernels of one name but different parameters cannot be told apart by name.
bool is_overloaded(const std::vector<KernelDefinition>& kernels, const KernelDefinition& kernel) {
  return std::ranges::any_of(kernels, [&](const KernelDefinition& other) {
    return other.qualified_name == kernel.qualified_name && other.parameters != kernel.parameters;
  });
}

void register_kernels(const std::vector<Token>& tokens, const Structure& structure, Edits& edits) {
  for (const KernelDefinition& kernel : structure.kernels) {
    if (kernel.is_template || kernel.body_end == 0 || is_overloaded(structure.kernels, kernel)) {
      continue;
    }
    edits.insert(tokens[kernel.body_end].end(),
                 fmt::format(" ASSAY_SIMT_KERNEL(\"{}\", {}, {})", kernel.qualified_name,
                             kernel.line, kernel.name));
  }
}

Result<std::string> trailer(const std::vector<std::string>& name_expressions) {
  std::string text = "\n#line 1 \"name_expressions\"\n";
  for (const std::string& name : name_expressions) {
    const bool one_line = std::ranges::none_of(name, [](char c) {
      return c == '\n' || c == '\r' || c == '\0' || c == '"' || c == '\\' || c == ';' || c == '{';
    });
    if (name.empty() || !one_line) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("name expression \"{}\" does not name a template instance", name));
    }
    text += fmt::format("ASSAY_SIMT_KERNEL(\"{}\", 0, {})\n", name, name);
  }
  return text + "ASSAY_SIMT_MODULE()\n";
}

}  // namespace

Result<Translation> translate(std::string_view source, const TranslateOptions& options) {
  const auto tokens = lex(source);
  const Structure structure = find_structure(tokens);
  Edits edits;
  rewrite_shared_variables(source, tokens, structure, edits);
  rewrite_launches(source, tokens, edits);
  rewrite_words(tokens, edits);
  if (options.module) register_kernels(tokens, structure, edits);

  Translation result;
  result.source = fmt::format("#line 1 \"{}\"\n{}", options.file_name, edits.apply(source));
  if (options.module) {
    ASSAY_TRY(const std::string end, trailer(options.name_expressions));
    result.source += end;
  }
  for (const KernelDefinition& kernel : structure.kernels) {
    result.kernels.push_back({kernel.qualified_name, kernel.line, kernel.is_template});
  }
  return result;
}

}  // namespace assay::simt
