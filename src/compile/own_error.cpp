#include "compile/own_error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/os.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "compile/global_names.hpp"
#include "model/extension.hpp"
#include "simt/lexer.hpp"

namespace assay::compile {
namespace {

/// How NVIDIA's front end and GCC say that a name is unknown; it stands between the two.
struct UnknownName {
  std::string_view before;
  std::string_view after;
};
constexpr std::array kUnknownNames = {
    UnknownName{.before = "error: identifier \"", .after = "\" is undefined"},
    UnknownName{.before = " has no member \"", .after = "\""},
    UnknownName{.before = " has no member named ‘", .after = "’"},
    UnknownName{.before = "error: ‘", .after = "’ was not declared in this scope"},
    UnknownName{.before = "error: ‘", .after = "’ has not been declared"},
    UnknownName{.before = "error: ‘", .after = "’ is not a member of "},
    UnknownName{.before = "error: ‘", .after = "’ does not name a type"},
};

constexpr std::string_view kError = "error: ";

/// The line of the first error, if it is about a source, not a header, and no line shown of one.
std::optional<std::string_view> first_error(std::string_view log) {
  const std::size_t at = log.find(kError);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t start = log.rfind('\n', at) + 1;  // 0 where there is none
  const std::string_view line = log.substr(start, log.find('\n', at) - start);
  if (line.starts_with('/') || line.starts_with(' ')) return std::nullopt;
  return line;
}

/// Grammar, or a file that is not there.
bool concerns_no_name(std::string_view error) {
  const std::string_view what = error.substr(error.find(kError) + kError.size());
  return what.starts_with("expected ") || what.ends_with(": No such file or directory");
}

/// Nothing where it is qualified or no name at all.
std::optional<std::string_view> unknown_name(std::string_view error) {
  for (const UnknownName& form : kUnknownNames) {
    const std::size_t before = error.find(form.before);
    if (before == std::string_view::npos) continue;
    const std::string_view rest = error.substr(before + form.before.size());
    const std::string_view name = rest.substr(0, rest.find(form.after));
    if (!name.empty() && std::ranges::all_of(name, is_word)) return name;
  }
  return std::nullopt;
}

/// Whether unqualified names in these sources can mean nothing but global ones: no namespace is
/// opened or named anew, and no class has bases whose members it would find.
bool sees_global_names_alone(const std::vector<simt::Token>& tokens) {
  bool in_class_head = false;
  for (const simt::Token& token : tokens) {
    if (token.is("namespace") || (in_class_head && token.is(":"))) return false;
    if (token.is("class") || token.is("struct")) {
      in_class_head = true;
    } else if (token.kind == simt::TokenKind::symbol && !token.is("::")) {
      in_class_head = false;
    }
  }
  return true;
}

/// A call finds functions in the namespaces of its arguments too.
bool is_called(std::string_view name, const std::vector<simt::Token>& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is(name) && (tokens[i + 1].is("(") || tokens[i + 1].is("<"))) return true;
  }
  return false;
}

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word(text[at - 1]);
    if (begins && (end == text.size() || !is_word(text[end]))) return true;
    at = end;
  }
  return false;
}

std::unordered_set<std::string_view> macros_in(std::string_view text) {
  constexpr std::string_view kDefine = "#define ";
  std::unordered_set<std::string_view> names;
  for (std::size_t at = text.find(kDefine); at != std::string_view::npos;
       at = text.find(kDefine, at)) {
    at += kDefine.size();
    const std::string_view rest = text.substr(at);
    const auto end = std::ranges::find_if_not(rest, is_word);
    names.insert(rest.substr(0, static_cast<std::size_t>(end - rest.begin())));
  }
  return names;
}

/// Whether all headers together might make `name` known where few did not.
bool may_be_found(std::string_view name, std::string_view error,
                  const std::vector<simt::Token>& tokens, std::string_view all,
                  const std::unordered_set<std::string_view>& macros) {
  if (!mentions(all, name)) return false;
  const bool is_member = error.find(" member ") != std::string_view::npos;
  if (is_member || is_called(name, tokens) || !sees_global_names_alone(tokens)) return true;
  if (macros.contains(name)) return true;
  const GlobalNames global = global_names(all);
  return global.opens_namespaces || global.names.contains(name);
}

}  // namespace

HeaderTexts header_texts(const std::filesystem::path& toolchain) {
  return {.few = toolchain / "few.i", .all = toolchain / "all.i"};
}

Result<bool> is_own_error(std::string_view log, const ExtensionCall& call,
                          const HeaderTexts& headers) {
  const auto error = first_error(log);
  // What stands in for something of torch's may lack what that has.
  if (!error || error->find("assay") != std::string_view::npos) return false;
  const auto unknown = unknown_name(*error);
  if (!unknown && !concerns_no_name(*error)) return false;

  ASSAY_TRY(const std::string few, read_file(headers.few));
  ASSAY_TRY(const std::string all, read_file(headers.all));
  const auto there = macros_in(all);
  std::vector<simt::Token> tokens;
  for (const ExtensionSource& source : call.sources) {
    std::ranges::copy(simt::lex(source.text), std::back_inserter(tokens));
  }
  if (unknown && may_be_found(*unknown, *error, tokens, all, there)) return false;
  const auto seen = macros_in(few);
  const auto is_missed = [&](const simt::Token& token) {
    return there.contains(token.spelling) && !seen.contains(token.spelling);
  };
  return std::ranges::none_of(tokens, is_missed);
}

}  // namespace assay::compile
