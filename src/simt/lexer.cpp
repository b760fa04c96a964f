#include "simt/lexer.hpp"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::simt {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_literal_prefix(std::string_view word) {
  return word == "L" || word == "u" || word == "U" || word == "u8" || word == "R" || word == "LR" ||
         word == "uR" || word == "UR" || word == "u8R";
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = peek();
    if (c == '\n') return end_line();
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return advance(1);
    if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      return advance(peek(1) == '\n' ? 2 : 3);  // a joined line: the directive goes on
    }
    if (c == '/' && peek(1) == '/') return skip_line_comment();
    if (c == '/' && peek(1) == '*') return skip_block_comment();
    if (c == '#' && !line_has_token_ && !directive_) return begin_directive();
    if (starts_word(c)) return word();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0)) {
      return number();
    }
    if (c == '"' || c == '\'') return quoted(at_, c);
    symbol();
  }

  /// Moves on, counting lines.
  void advance(std::size_t count) {
    for (; count > 0 && at_ < source_.size(); --count, ++at_) {
      if (source_[at_] == '\n') ++line_;
    }
  }

  void end_line() {
    directive_ = false;
    line_has_token_ = false;
    advance(1);
  }

  void skip_line_comment() {
    // A backslash at its end joins the next line to the comment.
    while (at_ < source_.size()) {
      if (peek() == '\\' && peek(1) == '\n') {
        advance(2);
      } else if (peek() == '\n') {
        return;
      } else {
        advance(1);
      }
    }
  }

  void skip_block_comment() {
    const std::size_t end = source_.find("*/", at_ + 2);
    advance(end == std::string_view::npos ? source_.size() - at_ : end + 2 - at_);
  }

  void begin_directive() {
    directive_ = true;
    emit(TokenKind::symbol, at_, at_ + 1, line_);
    tokens_.back().starts_directive = true;
  }

  void word() {
    std::size_t end = at_;
    while (end < source_.size() && continues_word(source_[end])) ++end;
    const std::string_view spelling = source_.substr(at_, end - at_);
    const char next = end < source_.size() ? source_[end] : '\0';
    if ((next == '"' || next == '\'') && is_literal_prefix(spelling)) {
      if (next == '"' && spelling.back() == 'R') return raw_string(at_, end);
      const std::size_t begin = at_;
      at_ = end;
      return quoted(begin, next);
    }
    emit(TokenKind::word, at_, end, line_);
  }

  void number() {
    std::size_t end = at_ + 1;
    while (end < source_.size()) {
      const char c = source_[end];
      const char before = source_[end - 1];
      const bool exponent_sign = (c == '+' || c == '-') &&
                                 (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator =
          c == '\'' && end + 1 < source_.size() && continues_word(source_[end + 1]);
      if (!continues_word(c) && c != '.' && !exponent_sign && !separator) break;
      ++end;
    }
    emit(TokenKind::number, at_, end, line_);
  }

  void quoted(std::size_t begin, char quote) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote && source_[end] != '\n') {
      end += source_[end] == '\\' && end + 1 < source_.size() ? 2U : 1U;
    }
    if (end < source_.size() && source_[end] == quote) ++end;
    at_ = begin;
    emit(TokenKind::text, begin, end, line_);
  }

  void raw_string(std::size_t begin, std::size_t quote) {
    constexpr std::size_t kLongestDelimiter = 16;
    std::size_t open = source_.substr(quote, kLongestDelimiter + 2).find('(');
    if (open == std::string_view::npos) return emit(TokenKind::text, begin, quote + 1, line_);
    open += quote;
    const std::string closing =
        ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = source_.find(closing, open);
    emit(TokenKind::text, begin,
         end == std::string_view::npos ? source_.size() : end + closing.size(), line_);
  }

  void symbol() {
    const bool pair = (peek() == ':' && peek(1) == ':') || (peek() == '-' && peek(1) == '>');
    emit(TokenKind::symbol, at_, at_ + (pair ? 2 : 1), line_);
  }

  void emit(TokenKind kind, std::size_t begin, std::size_t end, std::uint32_t line) {
    tokens_.push_back({.kind = kind,
                       .in_directive = directive_,
                       .starts_directive = false,
                       .line = line,
                       .offset = begin,
                       .spelling = source_.substr(begin, end - begin)});
    line_has_token_ = true;
    advance(end - at_);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool directive_ = false;
  bool line_has_token_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace assay::simt
