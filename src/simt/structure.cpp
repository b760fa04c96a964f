#include "simt/structure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simt/lexer.hpp"

namespace assay::simt {
namespace {

enum class ScopeKind : std::uint8_t { space, type, function, other };

struct Scope {
  ScopeKind kind = ScopeKind::space;
  std::string name;                 // of a named namespace
  std::size_t opened_function = 0;  // index into functions, for the outermost brace of one
  std::size_t kernel = SIZE_MAX;    // index into kernels
};

bool is_attribute_word(std::string_view word) {
  return word == "__launch_bounds__" || word == "__attribute__" || word == "__declspec" ||
         word == "alignas" || word == "__align__" || word == "__maxnreg__" ||
         word == "__cluster_dims__" || word == "decltype" || word == "noexcept" ||
         word == "requires" || word == "explicit";
}

/// What the tokens before an opening brace say about it.
struct Heading {
  bool has_namespace = false;
  bool has_type = false;  // class, struct, union or enum outside template parameters
  bool has_assignment = false;
  bool has_template = false;
  bool has_global = false;
  std::size_t name = 0;        // word before the parameter list; 0: no parameter list
  std::size_t parameters = 0;  // its '('
};

/// Whether a name, or the symbol of an operator, stands before the bracket at `i`.
bool opens_parameters(const std::vector<Token>& tokens, std::size_t i) {
  const Token& before = tokens[i - 1];
  if (!tokens[i].is("(")) return false;
  if (before.kind == TokenKind::word) return !is_attribute_word(before.spelling);
  return before.kind == TokenKind::symbol && !before.is("[");
}

void note(std::string_view word, Heading& heading) {
  if (word == "namespace") heading.has_namespace = true;
  if (word == "class" || word == "struct" || word == "union" || word == "enum") {
    heading.has_type = true;
  }
  if (word == "=" && heading.parameters == 0) heading.has_assignment = true;
}

Heading read_heading(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  Heading heading;
  int angle = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = tokens[i];
    if (token.in_directive) continue;
    const std::string_view s = token.spelling;
    heading.has_template |= s == "template";
    heading.has_global |= s == "__global__";
    if (s == "<") ++angle;
    if (s == ">" && angle > 0) --angle;
    if (s == "(" || s == "[") {
      const bool first = angle == 0 && heading.parameters == 0 && i > begin;
      if (first && opens_parameters(tokens, i)) {
        heading.name = i - 1;
        heading.parameters = i;
      }
      i = std::min(closing(tokens, i), end);
    } else if (angle == 0) {
      note(s, heading);
    }
  }
  return heading;
}

void append(std::string& parameters, const Token& token) {
  const bool apart = token.kind == TokenKind::word && parameters != "(";
  if (apart && parameters.back() != ' ') parameters += ' ';
  parameters += token.spelling;
}

/// Fills in the parameter list that starts at `open`.
void read_parameters(const std::vector<Token>& tokens, std::size_t open, KernelDefinition& kernel) {
  const std::size_t close = std::min(closing(tokens, open), tokens.size() - 1);
  int depth = 0;  // of brackets inside the list
  bool in_default = false;
  kernel.parameters = "(";
  for (std::size_t i = open + 1; i < close; ++i) {
    const Token& token = tokens[i];
    if (token.in_directive) continue;
    depth += deepening(token);
    const bool separates = token.is(",") && depth == 0;
    if (separates) ++kernel.parameter_count;
    if (token.is("=") && depth == 0) in_default = true;
    if (separates) in_default = false;
    if (!in_default) append(kernel.parameters, token);
  }
  kernel.parameters += ')';
  const bool none = kernel.parameters == "()" || kernel.parameters == "(void)";
  if (!none) ++kernel.parameter_count;
}

class Reader {
 public:
  explicit Reader(const std::vector<Token>& tokens) : tokens_(tokens) {}

  Structure run() {
    scopes_.emplace_back();
    found_.at_namespace_scope.resize(tokens_.size());
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      found_.at_namespace_scope[i] = scopes_.back().kind == ScopeKind::space;
      if (tokens_[i].starts_directive) {
        directive(i);
      } else if (!tokens_[i].in_directive) {
        visit(i);
      }
    }
    return std::move(found_);
  }

 private:
  /// The branches of a conditional start from the same scopes: otherwise a function whose heading
  /// is written twice would open two.
  void directive(std::size_t i) {
    if (i + 1 >= tokens_.size() || !tokens_[i + 1].in_directive) return;
    const std::string_view name = tokens_[i + 1].spelling;
    if (name.starts_with("if")) {
      branches_.emplace_back(scopes_, declaration_);
    } else if (name.starts_with("el") && !branches_.empty()) {
      scopes_ = branches_.back().first;
      declaration_ = branches_.back().second;
    } else if (name == "endif" && !branches_.empty()) {
      branches_.pop_back();
    }
  }

  void visit(std::size_t i) {
    const Token& token = tokens_[i];
    if (token.is("{")) return open(i);
    if (token.is("}")) return close(i);
    const bool outside =
        scopes_.back().kind == ScopeKind::space || scopes_.back().kind == ScopeKind::type;
    if (token.is(";") && outside) declaration_ = i + 1;
  }

  void open(std::size_t i) {
    const bool outside =
        scopes_.back().kind == ScopeKind::space || scopes_.back().kind == ScopeKind::type;
    Scope scope;
    scope.kind = ScopeKind::other;
    if (outside) {
      const Heading heading = read_heading(tokens_, declaration_, i);
      if (heading.has_namespace) {
        scope.kind = ScopeKind::space;
        scope.name = namespace_name(i);
      } else if (is_linkage(i)) {
        scope.kind = ScopeKind::space;
      } else if (heading.has_assignment) {
        scope.kind = ScopeKind::other;
      } else if (heading.parameters != 0) {
        scope = open_function(heading, i);
      } else if (heading.has_type) {
        scope.kind = ScopeKind::type;
      }
    }
    scopes_.push_back(scope);
    if (scope.kind == ScopeKind::space || scope.kind == ScopeKind::type) declaration_ = i + 1;
  }

  Scope open_function(const Heading& heading, std::size_t i) {
    Scope scope;
    scope.kind = ScopeKind::function;
    scope.opened_function = found_.functions.size();
    found_.functions.push_back({.declaration = declaration_, .open = i, .close = tokens_.size()});
    if (heading.has_global && scopes_.back().kind == ScopeKind::space) {
      const Token& name = tokens_[heading.name];
      KernelDefinition kernel;
      kernel.qualified_name = prefix() + std::string(name.spelling);
      kernel.name = name.spelling;
      kernel.line = name.line;
      kernel.is_template = heading.has_template;
      kernel.body_begin = i;
      read_parameters(tokens_, heading.parameters, kernel);
      scope.kernel = found_.kernels.size();
      found_.kernels.push_back(std::move(kernel));
    }
    return scope;
  }

  void close(std::size_t i) {
    if (scopes_.size() == 1) return;  // one too many: the compiler will say so
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    if (scope.kind == ScopeKind::function) {
      found_.functions[scope.opened_function].close = i;
      if (scope.kernel != SIZE_MAX) found_.kernels[scope.kernel].body_end = i;
    }
    const ScopeKind around = scopes_.back().kind;
    const bool ends_declaration =
        scope.kind == ScopeKind::function || scope.kind == ScopeKind::space;
    if ((around == ScopeKind::space || around == ScopeKind::type) && ends_declaration) {
      declaration_ = i + 1;
    }
  }

  [[nodiscard]] bool is_linkage(std::size_t open) const {
    return open >= 2 && tokens_[open - 1].kind == TokenKind::text && tokens_[open - 2].is("extern");
  }

  [[nodiscard]] std::string namespace_name(std::size_t open) const {
    std::string name;
    std::size_t i = declaration_;
    while (i < open && !tokens_[i].is("namespace")) ++i;
    for (++i; i < open; ++i) {
      if (tokens_[i].kind == TokenKind::word && !tokens_[i].is("inline"))
        name += tokens_[i].spelling;
      if (tokens_[i].is("::")) name += "::";
    }
    return name;
  }

  [[nodiscard]] std::string prefix() const {
    std::string result;
    for (const Scope& scope : scopes_) {
      if (!scope.name.empty()) result += scope.name + "::";
    }
    return result;
  }

  const std::vector<Token>& tokens_;
  Structure found_;
  std::vector<Scope> scopes_;
  std::vector<std::pair<std::vector<Scope>, std::size_t>> branches_;
  std::size_t declaration_ = 0;  // first token of the declaration being read
};

}  // namespace

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::symbol) continue;
    const char c = tokens[i].spelling[0];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
  }
  return tokens.size();
}

int deepening(const Token& token) {
  if (token.kind != TokenKind::symbol || token.spelling.size() > 1) return 0;
  constexpr std::string_view kOpen = "([{<";
  constexpr std::string_view kClose = ")]}>";
  const char c = token.spelling[0];
  return (kOpen.contains(c) ? 1 : 0) - (kClose.contains(c) ? 1 : 0);
}

Structure find_structure(const std::vector<Token>& tokens) {
  return Reader(tokens).run();
}

}  // namespace assay::simt
