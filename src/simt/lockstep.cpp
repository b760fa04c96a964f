#include "simt/lockstep.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

constexpr std::size_t kLongestStatement = 256;  // tokens

/// `s[index] += value;` by its tokens.
struct Assignment {
  std::size_t begin;   // the array's name
  std::size_t close;   // of the subscript
  std::size_t equals;  // the '='
  std::size_t end;     // the ';'
};

/// The names declared as `volatile T* s` or `volatile T s[…]` from `first` to `last`.
std::set<std::string_view> volatile_arrays(const std::vector<Token>& tokens, std::size_t first,
                                           std::size_t last) {
  std::set<std::string_view> names;
  for (std::size_t i = first; i < last; ++i) {
    if (!tokens[i].is("volatile")) continue;
    bool is_pointer = false;
    std::size_t k = i + 1;
    while (k < last && (tokens[k].kind == TokenKind::word || tokens[k].is("*"))) {
      is_pointer |= tokens[k++].is("*");
    }
    const bool is_array = k < last && tokens[k].is("[");
    if (tokens[k - 1].kind == TokenKind::word && (is_pointer || is_array)) {
      names.insert(tokens[k - 1].spelling);
    }
    i = k - 1;
  }
  return names;
}

bool begins_statement(const Token& before) {
  return before.is(";") || before.is("{") || before.is("}") || before.is(")") || before.is("else");
}

/// The statement at `i`, if it assigns to an element and has no effect that would happen twice.
std::optional<Assignment> assignment_at(const std::vector<Token>& tokens, std::size_t i) {
  Assignment found{
      .begin = i, .close = closing(tokens, i + 1, kLongestStatement), .equals = 0, .end = 0};
  if (found.close >= tokens.size()) return std::nullopt;
  for (std::size_t k = i; k < found.close; ++k) {
    const bool twice =
        tokens[k].is(tokens[k + 1].spelling) && (tokens[k].is("+") || tokens[k].is("-"));
    if (twice || tokens[k].is("(") || tokens[k].is("=")) return std::nullopt;
  }
  std::size_t k = found.close + 1;
  const auto at = [&](std::size_t place, std::string_view what) {
    return place < tokens.size() && tokens[place].is(what);
  };
  static constexpr std::string_view kOperators = "+-*/|&^";
  const bool compound = k < tokens.size() && tokens[k].spelling.size() == 1 &&
                        kOperators.contains(tokens[k].spelling[0]);
  if (compound) ++k;
  if (!at(k, "=") || at(k + 1, "=")) return std::nullopt;
  found.equals = k;
  for (++k; k < tokens.size() && k - i < kLongestStatement; ++k) {
    const bool leaves = tokens[k].is(")") || tokens[k].is("{") || tokens[k].is("}");
    if (tokens[k].in_directive || leaves) return std::nullopt;
    if (tokens[k].is("(") || tokens[k].is("[")) k = closing(tokens, k, kLongestStatement);
    if (at(k, ";")) {
      found.end = k;
      return found;
    }
  }
  return std::nullopt;
}

bool reads(const std::vector<Token>& tokens, const Assignment& assignment) {
  const std::string_view name = tokens[assignment.begin].spelling;
  for (std::size_t k = assignment.equals + 1; k + 1 < assignment.end; ++k) {
    if (tokens[k].is(name) && tokens[k + 1].is("[")) return true;
  }
  return false;
}

/// `s[i] += v;` becomes `s[i] = in_step(s[i] + (v)), in_step(0);`.
void rewrite(const std::vector<Token>& tokens, const Assignment& assignment, Edits& edits) {
  const Token& equals = tokens[assignment.equals];
  std::string before = "= ::assay::simt::in_step(";
  const bool compound = assignment.equals != assignment.close + 1;
  if (compound) {
    for (std::size_t k = assignment.begin; k <= assignment.close; ++k) {
      before += fmt::format("{} ", tokens[k].spelling);
    }
    before += tokens[assignment.equals - 1].spelling;
    edits.replace(tokens[assignment.equals - 1].offset, 1, "");
  }
  edits.replace(equals.offset, 1, before + " (");
  edits.insert(tokens[assignment.end].offset, ")), ::assay::simt::in_step(0)");
}

}  // namespace

void keep_in_step(const std::vector<Token>& tokens, const Structure& structure, Edits& edits) {
  for (const FunctionBody& function : structure.functions) {
    if (!runs_on_device(tokens, function)) continue;
    const std::set<std::string_view> arrays =
        volatile_arrays(tokens, function.declaration, function.close);
    if (arrays.empty()) continue;
    for (std::size_t i = function.open + 1; i + 1 < function.close; ++i) {
      if (!arrays.contains(tokens[i].spelling) || !tokens[i + 1].is("[")) continue;
      if (tokens[i].in_directive || !begins_statement(tokens[i - 1])) continue;
      const auto assignment = assignment_at(tokens, i);
      if (assignment && reads(tokens, *assignment)) rewrite(tokens, *assignment, edits);
    }
  }
}

}  // namespace assay::simt
