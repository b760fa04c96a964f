#include "compile/global_names.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace assay::compile {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Cuts preprocessed text into words, numbers, literals and single characters, one at a time: as a
/// list they would take ten times the memory of the text.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip_blanks();
    const std::size_t start = at_;
    if (at_ == text_.size()) return {};
    const char first = text_[at_];
    if (is_digit(first)) {
      skip_while([](char c) { return is_word(c) || c == '.' || c == '\''; });
    } else if (is_word(first)) {
      skip_while(is_word);
      const std::string_view word = text_.substr(start, at_ - start);
      if (word.ends_with('R') && at_ < text_.size() && text_[at_] == '"') skip_raw_literal();
    } else if (first == '"' || first == '\'') {
      skip_literal(first);
    } else {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

 private:
  template <typename Wanted>
  void skip_while(Wanted wanted) {
    while (at_ < text_.size() && wanted(text_[at_])) ++at_;
  }
  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#' && line_begins_) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        line_begins_ |= c == '\n';
        ++at_;
      } else {
        break;
      }
    }
    line_begins_ = false;
  }
  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }
  void skip_raw_literal() {
    const std::size_t opened = std::min(text_.find('(', at_), text_.size());
    const std::string end = ")" + std::string(text_.substr(at_ + 1, opened - at_ - 1)) + "\"";
    const std::size_t closed = text_.find(end, opened);
    at_ = closed == std::string_view::npos ? text_.size() : closed + end.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
};

/// Follows declarations from one to the next, and leaves out what stands in braces, parentheses
/// and lists of template parameters.
class GlobalScope {
 public:
  explicit GlobalScope(std::string_view text) : tokens_(text) {}

  GlobalNames find() {
    for (std::string_view token = advance(); !token.empty(); token = advance()) {
      if (token == "{") {
        if (!shows_what_it_holds()) skip_to_end_of("{", "}");
        begin_declaration();
      } else if (token == "}" || token == ";") {
        begin_declaration();
      } else if (token == "(") {
        take_parenthesis();
      } else {
        take(token);
      }
    }
    return std::move(found_);
  }

 private:
  std::string_view advance() {
    before_ = previous_;
    previous_ = current_;
    return current_ = tokens_.next();
  }

  void begin_declaration() {
    is_enumeration_ = false;
    is_class_ = false;
    is_namespace_ = false;
    is_inline_ = false;
  }

  void take(std::string_view token) {
    if (!is_word(token.front()) || is_digit(token.front())) return;
    if (token == "template") return skip_parameters();
    is_inline_ |= token == "inline";
    is_namespace_ |= token == "namespace";
    is_enumeration_ |= token == "enum";
    is_class_ |= token == "class" || token == "struct";
    found_.opens_namespaces |= token == "namespace" && previous_ == "using";
    found_.names.insert(token);
  }

  /// extern "C" and namespaces without a name of their own; enumerations without a scope.
  [[nodiscard]] bool shows_what_it_holds() const {
    if (before_ == "extern" && previous_.starts_with('"')) return true;
    if (is_namespace_) return is_inline_ || previous_ == "namespace";
    return is_enumeration_ && !is_class_;
  }

  /// `typedef void (*handler)(int)` and `int (abs)(int)` declare what stands in parentheses.
  void take_parenthesis() {
    std::string_view inside = advance();
    while (inside == "*" || inside == "&") inside = advance();
    if (!inside.empty() && is_word(inside.front())) take(inside);
    for (int depth = 1; !current_.empty(); advance()) {
      if (current_ == "(") ++depth;
      if (current_ == ")" && --depth == 0) return;
    }
  }

  void skip_parameters() {
    int angles = 0;
    int parentheses = 0;
    for (std::string_view token = advance(); !token.empty(); token = advance()) {
      if (token == "(") ++parentheses;
      if (token == ")") --parentheses;
      if (parentheses > 0) continue;
      if (token == "<") ++angles;
      if (token == ">" && --angles == 0) return;
      if (angles == 0) return take(token);  // an instantiation: `template class X<int>;`
    }
  }

  void skip_to_end_of(std::string_view open, std::string_view close) {
    for (int depth = 1; depth > 0;) {
      const std::string_view token = advance();
      if (token.empty()) return;
      if (token == open) ++depth;
      if (token == close) --depth;
    }
  }

  Tokens tokens_;
  std::string_view current_;
  std::string_view previous_;
  std::string_view before_;
  bool is_enumeration_ = false;
  bool is_class_ = false;
  bool is_namespace_ = false;
  bool is_inline_ = false;
  GlobalNames found_;
};

}  // namespace

GlobalNames global_names(std::string_view text) {
  return GlobalScope(text).find();
}

}  // namespace assay::compile
