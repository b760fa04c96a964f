#include "simt/launches.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

constexpr std::size_t kLongestConfiguration = 512;  // tokens between <<< and >>>

/// Three of `c` with nothing between them.
bool is_triple(const std::vector<Token>& tokens, std::size_t i, char c) {
  if (i + 2 >= tokens.size()) return false;
  for (std::size_t k = i; k < i + 3; ++k) {
    if (tokens[k].kind != TokenKind::symbol || tokens[k].spelling[0] != c) return false;
    if (k > i && tokens[k].offset != tokens[k - 1].end()) return false;
  }
  return true;
}

/// The character that a bracket may be, or that ends a statement; '\0' for words and arrows.
char symbol_of(const Token& token) {
  return token.kind == TokenKind::symbol && !token.is("->") ? token.spelling[0] : '\0';
}

/// Index of the bracket that opens the one at `close`, looking back; tokens.size() if none.
std::size_t opening(const std::vector<Token>& tokens, std::size_t close) {
  const char end = tokens[close].spelling[0];
  const char begin = end == ')' ? '(' : end == ']' ? '[' : '<';
  int depth = 0;
  const std::size_t first = close - std::min(close, kMostTokens);
  for (std::size_t i = close + 1; i-- > first;) {
    const char c = symbol_of(tokens[i]);
    if (c == end) ++depth;
    if (c == begin && --depth == 0) return i;
    if (c == ';' || c == '{' || c == '}') break;
    const bool among_template_arguments = end == '>' && (c == ')' || c == ']');
    if (!among_template_arguments) continue;
    i = opening(tokens, i);
    if (i == tokens.size()) break;
  }
  return tokens.size();
}

bool joins_names(const Token& token) {
  return token.is("::") || token.is(".") || token.is("->");
}

bool closes_bracket(const Token& token) {
  return token.is(")") || token.is("]") || token.is(">");
}

/// A postfix expression, read from its end to the left: names with their qualifications, template
/// arguments, calls and subscripts.
class PostfixExpression {
 public:
  PostfixExpression(const std::vector<Token>& tokens, std::size_t end)
      : tokens_(tokens), start_(end) {}

  /// Its first token; its end where there is none.
  std::size_t start() {
    while (start_ > 0 && take_one()) {
    }
    return start_;
  }

 private:
  /// False where the expression goes no further to the left.
  bool take_one() {
    const Token& token = tokens_[start_ - 1];
    if (closes_bracket(token)) return (need_name_ || token.is(">")) && take_brackets();
    if (need_name_) return token.kind == TokenKind::word && take_name();
    return joins_names(token) && take_joint();
  }

  /// A parenthesised kernel stands alone; brackets and template arguments follow a name.
  bool take_brackets() {
    const bool parenthesised = tokens_[start_ - 1].is(")");
    const std::size_t open = opening(tokens_, start_ - 1);
    if (open == tokens_.size()) return false;
    start_ = open;
    need_name_ = !parenthesised || follows_a_name(open);
    return need_name_;
  }

  bool take_name() {
    --start_;
    need_name_ = false;
    if (start_ > 0 && tokens_[start_ - 1].is("template")) --start_;
    return true;
  }

  /// Nothing stands before a leading "::".
  bool take_joint() {
    --start_;
    need_name_ = start_ > 0 && (tokens_[start_ - 1].kind == TokenKind::word ||
                                closes_bracket(tokens_[start_ - 1]));
    return need_name_;
  }

  [[nodiscard]] bool follows_a_name(std::size_t open) const {
    return open > 0 && tokens_[open - 1].kind == TokenKind::word &&
           !tokens_[open - 1].is("return") && !tokens_[open - 1].is("else");
  }

  const std::vector<Token>& tokens_;
  std::size_t start_;
  bool need_name_ = true;  // an operand must come next, going left
};

std::string quoted(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return '"' + result + '"';
}

struct Launch {
  std::size_t kernel;     // first token of the kernel expression
  std::size_t open;       // of <<<
  std::size_t close;      // of >>>
  std::size_t arguments;  // the '(' that follows
};

/// NULL as an argument would lose its meaning on the way through a parameter of deduced type.
void keep_null_pointers(const std::vector<Token>& tokens, const Launch& launch, Edits& edits) {
  const std::size_t end =
      std::min(closing(tokens, launch.arguments, kMostTokens), launch.arguments + kMostTokens);
  for (std::size_t i = launch.arguments + 1; i < end && i < tokens.size(); ++i) {
    const bool alone = (tokens[i - 1].is("(") || tokens[i - 1].is(",")) && i + 1 < tokens.size() &&
                       (tokens[i + 1].is(")") || tokens[i + 1].is(","));
    if (alone && tokens[i].is("NULL")) edits.replace(tokens[i].offset, 4, "nullptr");
  }
}

void rewrite(std::string_view source, const std::vector<Token>& tokens, const Launch& launch,
             Edits& edits) {
  const std::size_t begin = tokens[launch.kernel].offset;
  const std::size_t end = tokens[launch.open - 1].end();
  const std::string name = quoted(source.substr(begin, end - begin));
  edits.insert(
      begin, fmt::format("::assay::simt::launcher({}, __FILE__, __LINE__, [=](auto... assay_a) {{ ",
                         name));
  edits.replace(tokens[launch.open].offset, 3, "(assay_a...); }).configure(");
  edits.replace(tokens[launch.close].offset, 3, ")");
  keep_null_pointers(tokens, launch, edits);
}

/// The >>> that closes the <<< at `open`; tokens.size() where the statement ends before it.
std::size_t end_of_configuration(const std::vector<Token>& tokens, std::size_t open) {
  std::size_t i = open + 3;
  while (i < tokens.size() && !is_triple(tokens, i, '>')) {
    if (i - open > kLongestConfiguration) return tokens.size();
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = closing(tokens, i, kLongestConfiguration);
    }
    if (i < tokens.size()) ++i;
    if (i < tokens.size() && tokens[i].is(";")) return tokens.size();
  }
  return i;
}

/// The tokens of a cast to `void*` at `i`, as far as its operand: `(void*)` or
/// `reinterpret_cast<const void*>`. 0 if there is none.
std::size_t length_of_cast(const std::vector<Token>& tokens, std::size_t i) {
  const std::size_t first = i;
  const auto take = [&](std::string_view what) {
    const bool is_there = i < tokens.size() && tokens[i].is(what);
    if (is_there) ++i;
    return is_there;
  };
  const bool named = take("reinterpret_cast") || take("static_cast");
  if (!take(named ? "<" : "(")) return 0;
  take("const");
  const bool is_cast = take("void") && take("*") && take(named ? ">" : ")");
  return is_cast ? i - first : 0;
}

}  // namespace

void rewrite_launches(std::string_view source, const std::vector<Token>& tokens, Edits& edits) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!is_triple(tokens, i, '<')) continue;
    const std::size_t close = end_of_configuration(tokens, i);
    if (close + 3 >= tokens.size() || !tokens[close + 3].is("(")) continue;
    const std::size_t kernel = PostfixExpression(tokens, i).start();
    if (kernel == i) continue;
    rewrite(source, tokens, {kernel, i, close, close + 3}, edits);
    i += 2;
  }
}

void keep_kernel_types(const std::vector<Token>& tokens, const Structure& structure, Edits& edits) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool launches =
        tokens[i].is("cudaLaunchKernel") || tokens[i].is("cudaLaunchCooperativeKernel");
    if (!launches || !tokens[i + 1].is("(")) continue;
    const std::size_t length = length_of_cast(tokens, i + 2);
    const std::size_t operand = i + 2 + length;
    if (length == 0 || operand + 2 >= tokens.size()) continue;
    const std::size_t name = operand + (tokens[operand].is("(") ? 1 : 0);
    const bool is_plain = tokens[name + 1].is(",") || tokens[name + 1].is(")");
    const bool is_registered =
        is_plain && std::ranges::any_of(structure.kernels, [&](const auto& kernel) {
          return !kernel.is_template && tokens[name].is(kernel.name);
        });
    if (is_registered) continue;
    const std::size_t begin = tokens[i + 2].offset;
    edits.replace(begin, tokens[operand - 1].end() - begin, "");
  }
}

}  // namespace assay::simt
