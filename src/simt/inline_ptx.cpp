#include "simt/inline_ptx.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/ptx_instructions.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

/// What a string literal says; none for a raw one.
std::optional<std::string> unescaped(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != '"' || literal.back() != '"') return std::nullopt;
  std::string text;
  const std::string_view inside = literal.substr(1, literal.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      text += inside[i];
      continue;
    }
    const char next = inside[++i];
    if (next == 'n' || next == '\n') {
      text += '\n';
    } else if (next == 't' || next == 'r') {
      text += ' ';
    } else {
      text += next;
    }
  }
  return text;
}

/// An operand's number stays, a doubled percent sign becomes one.
std::string with_single_percents(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text.substr(i, 2) == "%%") ++i;
  }
  return result;
}

std::string_view register_type(std::string_view constraint) {
  static const std::map<char, std::string_view> kTypes = {
      {'r', "b32"}, {'l', "b64"}, {'h', "b16"}, {'f', "f32"}, {'d', "f64"}};
  if (!constraint.empty() && (constraint[0] == '=' || constraint[0] == '+')) {
    constraint.remove_prefix(1);
  }
  if (!constraint.empty() && constraint[0] == '&') constraint.remove_prefix(1);
  const auto found = constraint.size() == 1 ? kTypes.find(constraint[0]) : kTypes.end();
  return found == kTypes.end() ? std::string_view{} : found->second;
}

bool is_immediate(std::string_view constraint) {
  return constraint == "n" || constraint == "i";
}

bool is_qualifier(const Token& token) {
  return token.is("volatile") || token.is("__volatile__") || token.is("__volatile") ||
         token.is("inline") || token.is("goto");
}

class AsmReader {
 public:
  AsmReader(std::string_view source, const std::vector<Token>& tokens)
      : source_(source), tokens_(tokens) {}

  std::optional<AsmStatement> read(std::size_t i) {
    statement_.begin = i;
    ++i;
    while (i < tokens_.size() && is_qualifier(tokens_[i])) ++i;
    if (i >= tokens_.size() || !tokens_[i].is("(")) return std::nullopt;
    statement_.end = closing(tokens_, i, kMostTokens);
    if (statement_.end == tokens_.size()) return std::nullopt;
    std::string text;
    for (++i; i < statement_.end && !is_colon(i); ++i) {
      const auto part =
          tokens_[i].kind == TokenKind::text ? unescaped(tokens_[i].spelling) : std::nullopt;
      if (!part) return std::nullopt;
      text += *part;
    }
    statement_.text = with_single_percents(text);
    for (int section = 0; i < statement_.end;) {
      if (is_colon(i)) {
        section += tokens_[i].is("::") ? 2 : 1;
        ++i;
      } else if (section > 2 || tokens_[i].is(",")) {
        ++i;  // what it changes beside its outputs does not matter here
      } else if (!operand(i, section == 1 ? statement_.outputs : statement_.inputs)) {
        return std::nullopt;
      }
    }
    return statement_;
  }

 private:
  [[nodiscard]] bool is_colon(std::size_t i) const {
    return tokens_[i].is(":") || tokens_[i].is("::");
  }

  /// `"=r"(x)`; moves `i` behind it.
  bool operand(std::size_t& i, std::vector<AsmStatement::Operand>& operands) {
    const auto constraint =
        tokens_[i].kind == TokenKind::text ? unescaped(tokens_[i].spelling) : std::nullopt;
    if (!constraint || i + 1 >= statement_.end || !tokens_[i + 1].is("(")) return false;
    const std::size_t close = closing(tokens_, i + 1, kMostTokens);
    if (close >= statement_.end) return false;
    const std::size_t begin = tokens_[i + 1].end();
    operands.push_back({*constraint, source_.substr(begin, tokens_[close].offset - begin)});
    i = close + 1;
    return true;
  }

  std::string_view source_;
  const std::vector<Token>& tokens_;
  AsmStatement statement_;
};

/// On one line: a macro ends where its line ends.
std::string one_line(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c == '\n' || c == '\\') c = ' ';
  }
  return result;
}

std::string code_of(const AsmStatement& statement, const std::string& body) {
  std::string code = "do { namespace assay_ptx = ::assay::simt::ptx; ";
  std::string results;
  std::size_t number = 0;
  for (const AsmStatement::Operand& output : statement.outputs) {
    const std::string expression = one_line(output.expression);
    const bool is_read = output.constraint[0] == '+';
    const std::string_view type = register_type(output.constraint);
    code += fmt::format(
        "assay_ptx::{} assay_p{}{{{}}}; ", type, number,
        is_read ? fmt::format("assay_ptx::as<assay_ptx::{}>({})", type, expression) : "");
    results += fmt::format("assay_ptx::set(({}), assay_p{}); ", expression, number++);
  }
  for (const AsmStatement::Operand& input : statement.inputs) {
    const std::string expression = one_line(input.expression);
    if (is_immediate(input.constraint)) {
      code += fmt::format("constexpr auto assay_p{} = ({}); ", number++, expression);
    } else {
      const std::string_view type = register_type(input.constraint);
      code += fmt::format("const auto assay_p{} = assay_ptx::as<assay_ptx::{}>({}); ", number++,
                          type, expression);
    }
  }
  return code + body + results + "} while (false)";
}

bool is_asm(const Token& token) {
  return token.is("asm") || token.is("__asm__") || token.is("__asm");
}

}  // namespace

std::optional<AsmStatement> read_asm(std::string_view source, const std::vector<Token>& tokens,
                                     std::size_t i) {
  return AsmReader(source, tokens).read(i);
}

std::string unknown_ptx(const AsmStatement& statement) {
  for (const auto& output : statement.outputs) {
    if (register_type(output.constraint).empty()) return fmt::format("\"{}\"", output.constraint);
  }
  for (const auto& input : statement.inputs) {
    if (register_type(input.constraint).empty() && !is_immediate(input.constraint)) {
      return fmt::format("\"{}\"", input.constraint);
    }
  }
  return translate_ptx(statement.text).unknown;
}

bool rewrite_inline_ptx(std::string_view source, const std::vector<Token>& tokens, Edits& edits) {
  bool any = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_asm(tokens[i])) continue;
    const auto statement = read_asm(source, tokens, i);
    if (!statement || !unknown_ptx(*statement).empty()) continue;
    const std::string body = translate_ptx(statement->text).statements;
    if (body.empty() && statement->outputs.empty()) continue;  // it only orders memory
    const std::size_t begin = tokens[statement->begin].offset;
    edits.replace(begin, tokens[statement->end].end() - begin, code_of(*statement, body));
    any = true;
  }
  return any;
}

}  // namespace assay::simt
