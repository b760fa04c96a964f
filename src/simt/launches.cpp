#include "simt/launches.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "simt/structure.hpp"

namespace assay::simt {
namespace {

/// Three of `c` with nothing between them.
bool is_triple(const std::vector<Token>& tokens, std::size_t i, char c) {
  if (i + 2 >= tokens.size()) return false;
  for (std::size_t k = i; k < i + 3; ++k) {
    if (tokens[k].kind != TokenKind::symbol || tokens[k].spelling[0] != c) return false;
    if (k > i && tokens[k].offset != tokens[k - 1].end()) return false;
  }
  return true;
}

/// Index of the bracket that opens the one at `close`, looking back; tokens.size() if none.
std::size_t opening(const std::vector<Token>& tokens, std::size_t close) {
  const char end = tokens[close].spelling[0];
  const char begin = end == ')' ? '(' : end == ']' ? '[' : '<';
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (tokens[i].kind != TokenKind::symbol) continue;
    const char c = tokens[i].spelling[0];
    if (tokens[i].spelling == "->") continue;
    if (c == end) ++depth;
    if (c == begin && --depth == 0) return i;
    if (c == ';' || c == '{' || c == '}') break;
    if (end == '>' && (c == ')' || c == ']')) {
      const std::size_t inner = opening(tokens, i);
      if (inner == tokens.size()) break;
      i = inner;
    }
  }
  return tokens.size();
}

bool joins_names(const Token& token) {
  return token.is("::") || token.is(".") || token.is("->");
}

/// First token of the postfix expression that ends just before `end`: names with their
/// qualifications, template arguments, calls and subscripts.
std::size_t expression_start(const std::vector<Token>& tokens, std::size_t end) {
  std::size_t start = end;
  bool need_name = true;  // an operand must come next, going left
  while (start > 0) {
    const Token& token = tokens[start - 1];
    if (token.kind == TokenKind::symbol && (token.is(")") || token.is("]") || token.is(">"))) {
      if (!need_name && !token.is(">")) break;
      const std::size_t open = opening(tokens, start - 1);
      if (open == tokens.size()) break;
      start = open;
      // A parenthesised kernel stands alone; brackets and template arguments follow a name.
      need_name =
          !token.is(")") || (open > 0 && tokens[open - 1].kind == TokenKind::word &&
                             !tokens[open - 1].is("return") && !tokens[open - 1].is("else"));
      if (!need_name) break;
    } else if (token.kind == TokenKind::word && need_name) {
      --start;
      need_name = false;
      if (start > 0 && tokens[start - 1].is("template")) --start;
    } else if (!need_name && joins_names(token)) {
      --start;
      need_name =
          start > 0 && (tokens[start - 1].kind == TokenKind::word || tokens[start - 1].is(">") ||
                        tokens[start - 1].is(")") || tokens[start - 1].is("]"));
      if (!need_name) break;  // a leading ::
    } else {
      break;
    }
  }
  return start;
}

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
  const std::size_t end = closing(tokens, launch.arguments);
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

}  // namespace

void rewrite_launches(std::string_view source, const std::vector<Token>& tokens, Edits& edits) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!is_triple(tokens, i, '<')) continue;
    std::size_t close = i + 3;
    while (close < tokens.size() && !is_triple(tokens, close, '>')) {
      const bool bracket = tokens[close].is("(") || tokens[close].is("[") || tokens[close].is("{");
      close = bracket ? closing(tokens, close) : close;
      if (close < tokens.size()) ++close;
      if (close < tokens.size() && tokens[close].is(";")) close = tokens.size();
    }
    if (close + 3 >= tokens.size() || !tokens[close + 3].is("(")) continue;
    const std::size_t kernel = expression_start(tokens, i);
    if (kernel == i) continue;
    rewrite(source, tokens, {kernel, i, close, close + 3}, edits);
    i += 2;
  }
}

}  // namespace assay::simt
