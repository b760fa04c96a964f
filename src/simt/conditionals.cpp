#include "simt/conditionals.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "simt/lexer.hpp"

namespace assay::simt {
namespace {

using Macros = std::map<std::string_view, std::int64_t>;

std::int64_t to_number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  return value;
}

/// A recursive-descent reading of a preprocessor condition.
class Condition {
 public:
  Condition(std::span<const Token> tokens, const Macros& macros)
      : tokens_(tokens), macros_(macros) {}
  std::int64_t value() { return either(); }

 private:
  [[nodiscard]] bool next_is(std::string_view symbol, std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].is(symbol);
  }
  bool take(std::string_view symbol) {
    if (!next_is(symbol)) return false;
    ++at_;
    return true;
  }
  /// Two symbols that make one operator.
  bool take(std::string_view first, std::string_view second) {
    if (!next_is(first) || !next_is(second, 1)) return false;
    at_ += 2;
    return true;
  }

  std::int64_t either() {
    std::int64_t left = both();
    while (take("|", "|")) {
      const std::int64_t right = both();
      left = left != 0 || right != 0 ? 1 : 0;
    }
    return left;
  }
  std::int64_t both() {
    std::int64_t left = comparison();
    while (take("&", "&")) {
      const std::int64_t right = comparison();
      left = left != 0 && right != 0 ? 1 : 0;
    }
    return left;
  }
  std::int64_t comparison() {
    const std::int64_t left = sum();
    if (take("=", "=")) return left == sum() ? 1 : 0;
    if (take("!", "=")) return left != sum() ? 1 : 0;
    if (take("<", "=")) return left <= sum() ? 1 : 0;
    if (take(">", "=")) return left >= sum() ? 1 : 0;
    if (take("<")) return left < sum() ? 1 : 0;
    if (take(">")) return left > sum() ? 1 : 0;
    return left;
  }
  std::int64_t sum() {
    std::int64_t left = product();
    for (;;) {
      if (take("+")) {
        left += product();
      } else if (take("-")) {
        left -= product();
      } else {
        return left;
      }
    }
  }
  std::int64_t product() {
    std::int64_t left = unary();
    while (take("*")) left *= unary();
    return left;
  }
  std::int64_t unary() {
    if (at_ >= tokens_.size() || depth_ == kDeepest) return 0;
    ++depth_;
    const std::int64_t value = operand();
    --depth_;
    return value;
  }
  std::int64_t operand() {
    if (!next_is("=", 1) && take("!")) return unary() == 0 ? 1 : 0;
    if (take("-")) return -unary();
    if (take("(")) {
      const std::int64_t inner = either();
      take(")");
      return inner;
    }
    const Token& token = tokens_[at_++];
    if (token.is("defined")) return defined();
    if (token.kind == TokenKind::number) return to_number(token.spelling);
    if (token.is("true")) return 1;
    if (next_is("(")) skip_call();
    const auto found = macros_.find(token.spelling);
    return found != macros_.end() ? found->second : 0;
  }
  std::int64_t defined() {
    const bool parenthesised = take("(");
    if (at_ >= tokens_.size()) return 0;
    const bool found = macros_.contains(tokens_[at_++].spelling);
    if (parenthesised) take(")");
    return found ? 1 : 0;
  }
  void skip_call() {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      if (next_is("(")) ++depth;
      if (next_is(")") && --depth == 0) {
        ++at_;
        return;
      }
    }
  }

  static constexpr int kDeepest = 200;  // brackets: the source is a stranger's, the stack ours

  std::span<const Token> tokens_;
  const Macros& macros_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

class Preprocessor {
 public:
  /// `macros` are those defined already; none: the ones simt compiles with.
  Preprocessor(const std::vector<Token>& tokens, Macros macros)
      : tokens_(tokens), macros_(std::move(macros)) {
    if (!macros_.empty()) return;
    macros_ = {{"__CUDACC__", 1},
               {"__NVCC__", 1},
               {"__CUDA_ARCH__", 800},
               {"__cplusplus", 202002},
               {"__CUDACC_VER_MAJOR__", 12},
               {"__CUDACC_VER_MINOR__", 4},
               {"__linux__", 1},
               {"CUDART_VERSION", 12040},
               {"CUDA_VERSION", 12040},
               {"__GNUC__", 12}};
  }

  std::vector<bool> run() {
    std::vector<bool> kept(tokens_.size(), true);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].starts_directive)
        i = directive(i, kept);
      else
        kept[i] = keeping();
    }
    return kept;
  }

  [[nodiscard]] const Macros& macros() const { return macros_; }

 private:
  struct Branch {
    bool outer;  // whether what holds the conditional is kept
    bool taken;  // a branch before or this one was
    bool now;
  };

  [[nodiscard]] bool keeping() const { return branches_.empty() || branches_.back().now; }

  /// Handles the directive at `begin`; gives its last token.
  std::size_t directive(std::size_t begin, std::vector<bool>& kept) {
    std::size_t end = begin + 1;
    while (end < tokens_.size() && tokens_[end].in_directive && !tokens_[end].starts_directive)
      ++end;
    const std::span<const Token> words(tokens_.data() + begin + 1, end - begin - 1);
    for (std::size_t i = begin; i < end; ++i) kept[i] = keeping();
    if (!words.empty()) act(words[0].spelling, words.subspan(1));
    return end - 1;
  }

  void act(std::string_view name, std::span<const Token> rest) {
    if (name == "if") {
      enter(Condition(rest, macros_).value() != 0);
    } else if (name == "ifdef" || name == "ifndef") {
      const bool is_defined = !rest.empty() && macros_.contains(rest[0].spelling);
      enter(is_defined == (name == "ifdef"));
    } else if (name == "elif" && !branches_.empty()) {
      Branch& branch = branches_.back();
      branch.now = branch.outer && !branch.taken && Condition(rest, macros_).value() != 0;
      branch.taken = branch.taken || branch.now;
    } else if (name == "else" && !branches_.empty()) {
      Branch& branch = branches_.back();
      branch.now = branch.outer && !branch.taken;
      branch.taken = true;
    } else if (name == "endif" && !branches_.empty()) {
      branches_.pop_back();
    } else if (name == "define" && keeping() && !rest.empty()) {
      const bool takes_arguments =
          rest.size() > 1 && rest[1].is("(") && rest[1].offset == rest[0].end();
      macros_[rest[0].spelling] = takes_arguments ? 0 : Condition(rest.subspan(1), macros_).value();
    } else if (name == "undef" && keeping() && !rest.empty()) {
      macros_.erase(rest[0].spelling);
    }
  }

  void enter(bool condition) {
    const bool outer = keeping();
    const bool now = outer && condition;
    branches_.push_back({outer, now, now});
  }

  const std::vector<Token>& tokens_;
  Macros macros_;
  std::vector<Branch> branches_;
};

}  // namespace

std::vector<bool> kept_tokens(const std::vector<Token>& tokens, const std::vector<Token>& before) {
  Preprocessor first(before, {});
  static_cast<void>(first.run());
  return Preprocessor(tokens, first.macros()).run();
}

}  // namespace assay::simt
