#include "simt/shared_variables.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

bool is_storage_word(const Token& token) {
  return token.is("__shared__") || token.is("static") || token.is("extern");
}
bool is_alignment_word(const Token& token) {
  return token.is("__align__") || token.is("alignas") || token.is("__attribute__");
}

struct Declarator {
  std::string name;
  std::string after;  // array bounds
};

struct Declaration {
  std::size_t begin = 0;  // first token
  std::size_t end = 0;    // its ';'
  bool is_extern = false;
  std::string type;
  std::vector<Declarator> declarators;
};

class SharedRewriter {
 public:
  SharedRewriter(std::string_view source, const std::vector<Token>& tokens,
                 const Structure& structure, Edits& edits)
      : source_(source), tokens_(tokens), structure_(structure), edits_(edits) {}

  void run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("__shared__")) continue;
      if (tokens_[i].in_directive && names_macro(i)) continue;
      const Declaration declaration = parse(i);
      if (declaration.declarators.empty()) continue;
      const bool at_file_scope = structure_.at_namespace_scope[i] && !tokens_[i].in_directive;
      if (declaration.is_extern) {
        rewrite_dynamic(declaration, at_file_scope);
      } else {
        rewrite_static(declaration, at_file_scope);
      }
      i = std::max(i, declaration.end - 1);
    }
  }

 private:
  /// `#define SMEM __shared__`: nothing is declared here.
  [[nodiscard]] bool names_macro(std::size_t i) const {
    for (std::size_t k = i; k < tokens_.size() && tokens_[k].in_directive; ++k) {
      if (tokens_[k].is(";")) return false;
      if (tokens_[k].starts_directive) break;
    }
    return true;
  }

  [[nodiscard]] std::size_t first_token(std::size_t shared) const {
    std::size_t begin = shared;
    while (begin > 0 && shared - begin < kMostTokens) {
      const Token& before = tokens_[begin - 1];
      if (before.in_directive != tokens_[shared].in_directive || before.starts_directive) break;
      if (before.is(")")) {
        const std::size_t open = opening(begin - 1);
        if (open == 0 || !is_alignment_word(tokens_[open - 1])) break;
        begin = open - 1;
        continue;
      }
      if (before.is(";") || before.is("{") || before.is("}") || before.is(":")) break;
      if (before.in_directive && tokens_[begin - 2].starts_directive) break;
      --begin;
    }
    // In a macro, what stands before is its name: a declaration there starts at __shared__.
    return tokens_[shared].in_directive ? directive_begin(shared, begin) : begin;
  }

  [[nodiscard]] std::size_t directive_begin(std::size_t shared, std::size_t begin) const {
    std::size_t first = shared;
    while (first > begin && is_storage_word(tokens_[first - 1])) --first;
    return first;
  }

  [[nodiscard]] std::size_t opening(std::size_t close) const {
    int depth = 0;
    const std::size_t first = close - std::min(close, kMostTokens);
    for (std::size_t i = close + 1; i-- > first;) {
      if (tokens_[i].is(")")) ++depth;
      if (tokens_[i].is("(") && --depth == 0) return i;
    }
    return 0;
  }

  [[nodiscard]] Declaration parse(std::size_t shared) const {
    Declaration result;
    result.begin = first_token(shared);
    std::size_t end = shared;
    while (end < tokens_.size() && !tokens_[end].is(";")) {
      if (end - shared > kMostTokens) return result;
      const bool bracket = tokens_[end].is("(") || tokens_[end].is("[") || tokens_[end].is("{");
      end = bracket ? closing(tokens_, end, kMostTokens) : end;
      if (end < tokens_.size()) ++end;
    }
    if (end >= tokens_.size()) return result;
    result.end = end;
    for (std::size_t i = result.begin; i < end; ++i) {
      if (tokens_[i].is("extern")) result.is_extern = true;
    }
    split(result);
    return result;
  }

  /// Finds the declared names: the last word of each comma-separated part, outside brackets.
  void split(Declaration& declaration) const {
    std::size_t part = declaration.begin;
    int angle = 0;
    for (std::size_t i = declaration.begin; i <= declaration.end; ++i) {
      const Token& token = tokens_[i];
      if (token.is("<")) ++angle;
      if (token.is(">") && angle > 0) --angle;
      if (token.is("(") || token.is("[") || token.is("{")) {
        i = closing(tokens_, i, kMostTokens);
        continue;
      }
      if (angle == 0 && (token.is(",") || token.is(";"))) {
        add_declarator(declaration, part, i);
        part = i + 1;
      }
    }
  }

  void add_declarator(Declaration& declaration, std::size_t begin, std::size_t end) const {
    std::size_t stop = begin;  // past the declarator's name
    std::size_t name = end;
    for (std::size_t i = begin; i < end; ++i) {
      const Token& token = tokens_[i];
      if (token.is("=")) break;
      if (is_alignment_word(token) && i + 1 < end && tokens_[i + 1].is("(")) {
        i = closing(tokens_, i + 1, kMostTokens);
        continue;
      }
      if (token.is("{")) {
        i = closing(tokens_, i, kMostTokens);  // the members of a struct declared here
        continue;
      }
      if (token.is("[")) break;
      if (token.is("(") && i + 1 < end && !tokens_[i + 1].is("*")) break;
      if (token.kind == TokenKind::word) name = i;
      stop = i + 1;
    }
    if (name == end) return;
    Declarator declarator;
    declarator.name = tokens_[name].spelling;
    if (declaration.declarators.empty()) declaration.type = text(begin, name);
    if (stop < end) declarator.after = text(stop, end);
    declaration.declarators.push_back(std::move(declarator));
  }

  /// The tokens of a range with single blanks, without storage and alignment words.
  [[nodiscard]] std::string text(std::size_t begin, std::size_t end) const {
    std::string result;
    for (std::size_t i = begin; i < end; ++i) {
      if (is_storage_word(tokens_[i])) continue;
      if (is_alignment_word(tokens_[i]) && i + 1 < end && tokens_[i + 1].is("(")) {
        i = closing(tokens_, i + 1, kMostTokens);
        continue;
      }
      if (!result.empty()) result += ' ';
      result += tokens_[i].spelling;
    }
    return result;
  }

  void rewrite_dynamic(const Declaration& declaration, bool at_file_scope) {
    std::string code;
    for (const Declarator& one : declaration.declarators) {
      // Of `T x[][32]` the elements are T[32]: only the first, empty bound goes.
      const std::size_t first_bound = one.after.find(']');
      const bool is_array = first_bound != std::string::npos;
      const std::string inner = is_array ? one.after.substr(first_bound + 1) : "";
      code += fmt::format("{} {} = {}::assay::simt::dynamic_shared<{}{}>(\"{}\"); ",
                          is_array ? "auto* const" : "auto&", one.name, is_array ? "" : "*",
                          declaration.type, inner, one.name);
    }
    replace(declaration, at_file_scope ? "" : code);
    if (at_file_scope) declare_in_functions(declaration, code);
  }

  void rewrite_static(const Declaration& declaration, bool at_file_scope) {
    const std::string type = fmt::format("assay_shared_{}", counter_++);
    // References and no structured binding, whose uses have the line of the declaration.
    std::string bind;
    std::string fields;
    for (const Declarator& one : declaration.declarators) {
      bind +=
          fmt::format("auto& {0} = ::assay::simt::shared_variables<{1}>().{0}; ", one.name, type);
      fields += fmt::format("ASSAY_SIMT_FIELD({}, {}, {}, \"{}\")", type, one.name,
                            tokens_[declaration.begin].line, kernel_around(declaration.begin));
    }
    for (std::size_t i = declaration.begin; i < declaration.end; ++i) {
      if (is_storage_word(tokens_[i]))
        edits_.replace(tokens_[i].offset, tokens_[i].spelling.size(), "");
    }
    edits_.insert(tokens_[declaration.begin].offset, fmt::format("struct {} {{ ", type));
    edits_.replace(
        tokens_[declaration.end].offset, 1,
        fmt::format("; static void assay_fields(::assay::simt::FieldVisitor& assay_visit) "
                    "{{ {} }} }};{}",
                    fields, at_file_scope ? "" : " " + bind));
    if (at_file_scope) declare_in_functions(declaration, bind);
  }

  /// The name of the kernel whose body holds a token, or nothing.
  [[nodiscard]] std::string_view kernel_around(std::size_t token) const {
    for (const KernelDefinition& kernel : structure_.kernels) {
      if (kernel.body_begin < token && token < kernel.body_end) return kernel.name;
    }
    return {};
  }

  void replace(const Declaration& declaration, std::string_view code) {
    const std::size_t begin = tokens_[declaration.begin].offset;
    edits_.replace(begin, tokens_[declaration.end].end() - begin, std::string(code));
  }

  void declare_in_functions(const Declaration& declaration, const std::string& code) {
    if (++at_file_scope_ > kMostAtFileScope) return;
    for (const FunctionBody& function : structure_.functions) {
      if (function.open < declaration.end) continue;
      const bool used = std::ranges::any_of(declaration.declarators, [&](const Declarator& one) {
        return mentions(function.open, function.close, one.name) &&
               !mentions(function.declaration, function.open, one.name) &&
               !declared_in(function).contains(one.name);
      });
      if (used) edits_.insert(tokens_[function.open].end(), " " + code);
    }
  }

  [[nodiscard]] bool mentions(std::size_t begin, std::size_t end, std::string_view name) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens_[i].is(name) && tokens_[i].kind == TokenKind::word) return true;
    }
    return false;
  }

  /// What a function declares as shared itself: of those names it keeps its own.
  [[nodiscard]] const std::set<std::string>& declared_in(const FunctionBody& function) {
    const auto [found, is_new] = declared_.try_emplace(function.open);
    if (!is_new) return found->second;
    for (std::size_t i = function.open; i < function.close; ++i) {
      if (!tokens_[i].is("__shared__")) continue;
      const Declaration inner = parse(i);
      for (const Declarator& one : inner.declarators) found->second.insert(one.name);
      i = std::max(i, inner.declarators.empty() ? i : inner.end);
    }
    return found->second;
  }

  static constexpr std::size_t kMostAtFileScope = 64;  // each is looked for in every function

  std::string_view source_;
  const std::vector<Token>& tokens_;
  const Structure& structure_;
  Edits& edits_;
  unsigned counter_ = 0;
  std::size_t at_file_scope_ = 0;                          // declarations so far
  std::map<std::size_t, std::set<std::string>> declared_;  // by where a function opens
};

}  // namespace

void rewrite_shared_variables(std::string_view source, const std::vector<Token>& tokens,
                              const Structure& structure, Edits& edits) {
  SharedRewriter(source, tokens, structure, edits).run();
}

}  // namespace assay::simt
