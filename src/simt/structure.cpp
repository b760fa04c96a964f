#include "simt/structure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simt/conditionals.hpp"
#include "simt/lexer.hpp"

namespace assay::simt {
namespace {

enum class ScopeKind : std::uint8_t { space, type, function, other };

constexpr std::size_t kNone = SIZE_MAX;

struct Scope {
  ScopeKind kind = ScopeKind::space;
  std::string name;                 // of a named namespace
  std::size_t opened_function = 0;  // index into functions, for the outermost brace of one
  std::size_t kernel = kNone;       // index into kernels
  std::size_t around = kNone;       // the scope that holds it; none: the file's own
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

/// The last token of the operator's name that begins at `i`: `operator+=`, `operator()`.
std::size_t end_of_operator(const std::vector<Token>& tokens, std::size_t i) {
  const bool is_call = i + 2 < tokens.size() && tokens[i + 1].is("(") && tokens[i + 2].is(")");
  if (is_call) return i + 2;
  while (i + 1 < tokens.size() && tokens[i + 1].kind == TokenKind::symbol &&
         !tokens[i + 1].is("(")) {
    ++i;
  }
  return i;
}

Heading read_heading(const std::vector<Token>& tokens) {
  Heading heading;
  int angle = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("operator")) {
      i = end_of_operator(tokens, i);  // its symbols assign nothing and open nothing
      continue;
    }
    const std::string_view s = tokens[i].spelling;
    heading.has_template |= s == "template";
    heading.has_global |= s == "__global__";
    if (s == "<") ++angle;
    if (s == ">" && angle > 0) --angle;
    if (s == "(" || s == "[") {
      const bool first = angle == 0 && heading.parameters == 0 && i > 0;
      if (first && opens_parameters(tokens, i)) {
        heading.name = i - 1;
        heading.parameters = i;
      }
      i = closing(tokens, i);
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

std::string namespace_name(const std::vector<Token>& heading) {
  std::string name;
  std::size_t i = 0;
  while (i < heading.size() && !heading[i].is("namespace")) ++i;
  for (++i; i < heading.size(); ++i) {
    if (heading[i].kind == TokenKind::word && !heading[i].is("inline")) name += heading[i].spelling;
    if (heading[i].is("::")) name += "::";
  }
  return name;
}

/// Whether a brace after the heading opens an `extern "C"` block.
bool is_linkage(const std::vector<Token>& heading) {
  const std::size_t n = heading.size();
  return n >= 2 && heading[n - 1].kind == TokenKind::text && heading[n - 2].is("extern");
}

constexpr std::size_t kLongestHeading = 2048;

class Reader {
 public:
  Reader(const std::vector<Token>& tokens, const std::vector<bool>& kept)
      : tokens_(tokens), kept_(kept) {}

  Structure run() {
    scopes_.emplace_back();
    found_.at_namespace_scope.resize(tokens_.size());
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      found_.at_namespace_scope[i] = scope().kind == ScopeKind::space;
      if (tokens_[i].starts_directive) {
        directive(i);
      } else if (!tokens_[i].in_directive) {
        visit(i);
      }
    }
    end_open_functions();
    return std::move(found_);
  }

 private:
  /// A function that was written in two branches of a conditional, say, has one end. What has none
  /// ends where the next begins.
  void end_open_functions() {
    for (std::size_t i = 0; i + 1 < found_.functions.size(); ++i) {
      FunctionBody& function = found_.functions[i];
      const FunctionBody& next = found_.functions[i + 1];
      if (function.close == tokens_.size() && next.declaration > function.open) {
        function.close = next.declaration;
      }
    }
  }

  /// A place in the source, as small as an index: a conditional goes back to one for each branch.
  struct Place {
    std::size_t scope = 0;
    std::size_t heading = kNone;  // last word of the declaration being read; none: it begins
  };
  struct Word {
    std::size_t token;
    std::size_t before;  // in the same declaration
    std::size_t length;  // of the declaration up to here
  };
  struct Conditional {
    Place before;
    std::optional<Place> after;  // the end of the branch that the preprocessor keeps
    bool kept;                   // what holds the conditional is
  };

  /// The branches of a conditional start from the same place: otherwise a function whose heading
  /// is written twice would open two, and one branch would be read as part of the next.
  void directive(std::size_t i) {
    if (i + 1 >= tokens_.size() || !tokens_[i + 1].in_directive) return;
    const std::string_view name = tokens_[i + 1].spelling;
    if (name.starts_with("if")) {
      conditionals_.push_back({.before = place_, .after = {}, .kept = kept_[i]});
      return;
    }
    if (conditionals_.empty() || !(name.starts_with("el") || name == "endif")) return;
    Conditional& conditional = conditionals_.back();
    if (kept_[i]) conditional.after = place_;
    if (name.starts_with("el")) {
      place_ = conditional.before;
      return;
    }
    if (conditional.after) {
      place_ = *conditional.after;
    } else if (conditional.kept) {
      place_ = conditional.before;
    }
    conditionals_.pop_back();
  }

  void visit(std::size_t i) {
    const Token& token = tokens_[i];
    if (token.is("{")) return open(i);
    if (token.is("}")) return close(i);
    if (token.is(";") && outside()) {
      begin_declaration();
    } else {
      extend_declaration(i);
    }
  }

  void open(std::size_t i) {
    Scope scope;
    scope.kind = ScopeKind::other;
    if (outside() && heading_length() <= kLongestHeading) {
      const std::vector<Token> words = words_of_heading();
      const Heading heading = read_heading(words);
      if (heading.has_namespace) {
        scope.kind = ScopeKind::space;
        scope.name = namespace_name(words);
      } else if (is_linkage(words)) {
        scope.kind = ScopeKind::space;
      } else if (heading.has_assignment) {
        scope.kind = ScopeKind::other;
      } else if (heading.parameters != 0) {
        scope = open_function(words, heading, i);
      } else if (heading.has_type) {
        scope.kind = ScopeKind::type;
      }
    }
    const bool holds_declarations = scope.kind == ScopeKind::space || scope.kind == ScopeKind::type;
    scope.around = place_.scope;
    place_.scope = scopes_.size();
    scopes_.push_back(std::move(scope));
    if (holds_declarations) {
      begin_declaration();
    } else {
      extend_declaration(i);
    }
  }

  Scope open_function(const std::vector<Token>& words, const Heading& heading, std::size_t i) {
    Scope function;
    function.kind = ScopeKind::function;
    function.opened_function = found_.functions.size();
    const auto declaration = static_cast<std::size_t>(
        std::ranges::lower_bound(tokens_, words.front().offset, {}, &Token::offset) -
        tokens_.begin());
    found_.functions.push_back({.declaration = declaration, .open = i, .close = tokens_.size()});
    if (heading.has_global && scope().kind == ScopeKind::space &&
        found_.kernels.size() < kMostKernels) {
      const Token& name = words[heading.name];
      KernelDefinition kernel;
      kernel.qualified_name = prefix() + std::string(name.spelling);
      kernel.name = name.spelling;
      kernel.line = name.line;
      kernel.is_template = heading.has_template;
      kernel.is_kept = kept_[i];
      kernel.body_begin = i;
      read_parameters(words, heading.parameters, kernel);
      function.kernel = found_.kernels.size();
      found_.kernels.push_back(std::move(kernel));
    }
    return function;
  }

  void close(std::size_t i) {
    if (scope().around == kNone) return;  // one too many: the compiler will say so
    const Scope& closed = scope();
    place_.scope = closed.around;
    if (closed.kind == ScopeKind::function) {
      found_.functions[closed.opened_function].close = i;
      if (closed.kernel != kNone) found_.kernels[closed.kernel].body_end = i;
    }
    const bool ends_declaration =
        closed.kind == ScopeKind::function || closed.kind == ScopeKind::space;
    if (outside() && ends_declaration) {
      begin_declaration();
    } else {
      extend_declaration(i);
    }
  }

  [[nodiscard]] const Scope& scope() const { return scopes_[place_.scope]; }

  [[nodiscard]] bool outside() const {
    return scope().kind == ScopeKind::space || scope().kind == ScopeKind::type;
  }

  void begin_declaration() { place_.heading = kNone; }

  void extend_declaration(std::size_t token) {
    words_.push_back({.token = token, .before = place_.heading, .length = heading_length() + 1});
    place_.heading = words_.size() - 1;
  }

  [[nodiscard]] std::size_t heading_length() const {
    return place_.heading == kNone ? 0 : words_[place_.heading].length;
  }

  /// The declaration being read as far as it goes, without other branches of conditionals.
  [[nodiscard]] std::vector<Token> words_of_heading() const {
    std::vector<Token> words;
    for (std::size_t at = place_.heading; at != kNone; at = words_[at].before) {
      words.push_back(tokens_[words_[at].token]);
    }
    std::ranges::reverse(words);
    return words;
  }

  [[nodiscard]] std::string prefix() const {
    std::vector<std::string_view> names;  // from the inside
    std::size_t length = 0;
    for (std::size_t at = place_.scope; at != kNone; at = scopes_[at].around) {
      const std::string& name = scopes_[at].name;
      length += name.size();
      if (length > kLongestPrefix) break;
      if (!name.empty()) names.push_back(name);
    }
    std::string result;
    for (const std::string_view name : std::views::reverse(names)) {
      result += name;
      result += "::";
    }
    return result;
  }

  const std::vector<Token>& tokens_;
  const std::vector<bool>& kept_;
  Structure found_;
  std::vector<Scope> scopes_;  // all there were: the one now is place_'s
  std::vector<Word> words_;    // of all declarations: those of the one now end with place_'s
  std::vector<Conditional> conditionals_;
  Place place_;
};

}  // namespace

std::size_t closing(const std::vector<Token>& tokens, std::size_t open, std::size_t most) {
  int depth = 0;
  const std::size_t end = open + std::min(most, tokens.size() - std::min(open, tokens.size()));
  for (std::size_t i = open; i < end; ++i) {
    if (tokens[i].kind != TokenKind::symbol) continue;
    const char c = tokens[i].spelling[0];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
  }
  return tokens.size();
}

bool runs_on_device(const std::vector<Token>& tokens, const FunctionBody& function) {
  const auto heading =
      std::span(tokens).subspan(function.declaration, function.open - function.declaration);
  return std::ranges::any_of(
      heading, [](const Token& token) { return token.is("__global__") || token.is("__device__"); });
}

int deepening(const Token& token) {
  if (token.kind != TokenKind::symbol || token.spelling.size() > 1) return 0;
  constexpr std::string_view kOpen = "([{<";
  constexpr std::string_view kClose = ")]}>";
  const char c = token.spelling[0];
  return (kOpen.contains(c) ? 1 : 0) - (kClose.contains(c) ? 1 : 0);
}

Structure find_structure(const std::vector<Token>& tokens, const std::vector<Token>& before) {
  return Reader(tokens, kept_tokens(tokens, before)).run();
}

}  // namespace assay::simt
