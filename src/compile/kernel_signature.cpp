#include "compile/kernel_signature.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/dtype.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::compile {
namespace {

using simt::Token;

constexpr std::array<std::pair<std::string_view, DType>, 23> kTypes = {{
    {"float", DType::float32},
    {"double", DType::float64},
    {"half", DType::float16},
    {"__half", DType::float16},
    {"__nv_bfloat16", DType::bfloat16},
    {"nv_bfloat16", DType::bfloat16},
    {"bool", DType::boolean},
    {"int", DType::int32},
    {"unsigned int", DType::uint32},
    {"unsigned", DType::uint32},
    {"short", DType::int16},
    {"unsigned short", DType::uint16},
    {"char", DType::int8},
    {"signed char", DType::int8},
    {"unsigned char", DType::uint8},
    {"long", DType::int64},
    {"long long", DType::int64},
    {"unsigned long long", DType::uint64},
    {"unsigned long", DType::uint64},
    {"int64_t", DType::int64},
    {"uint8_t", DType::uint8},
    {"uint32_t", DType::uint32},
    {"size_t", DType::uint64},
}};

std::optional<DType> dtype_of(const std::string& type) {
  for (const auto& [name, dtype] : kTypes) {
    if (name == type) return dtype;
  }
  for (const auto& [dtype, name] : kDTypeNames) {  // int32_t and its like
    if (fmt::format("{}_t", name) == type) return dtype;
  }
  return std::nullopt;
}

bool is_decoration(const Token& token) {
  constexpr std::array<std::string_view, 6> kWords = {
      "const", "__restrict__", "__restrict", "__grid_constant__", "volatile", "std"};
  return std::ranges::find(kWords, token.spelling) != kWords.end() || token.is("::") ||
         token.is("*") || token.is("&");
}

KernelParameter parameter_of(const std::vector<Token>& tokens) {
  KernelParameter parameter;
  std::vector<std::string> words;
  for (const Token& token : tokens) {
    parameter.type += fmt::format("{}{}", parameter.type.empty() ? "" : " ", token.spelling);
    parameter.is_pointer = parameter.is_pointer || token.is("*") || token.is("[");
    if (token.is("const") && !parameter.is_pointer) parameter.is_const = true;
    if (token.kind == simt::TokenKind::word && !is_decoration(token)) {
      words.emplace_back(token.spelling);
    }
  }
  const auto join = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + words[i];
    return text;
  };
  // The last word is the name, unless all of them are the type of a parameter without one.
  parameter.dtype = dtype_of(join(words.size()));
  if (!parameter.dtype && words.size() > 1) {
    parameter.name = words.back();
    parameter.dtype = dtype_of(join(words.size() - 1));
  }
  return parameter;
}

std::vector<KernelParameter> parameters_of(std::string_view text) {
  std::vector<Token> tokens = simt::lex(text);
  std::vector<KernelParameter> parameters;
  std::vector<Token> current;
  int depth = 0;
  const auto flush = [&] {
    const bool is_void = current.size() == 1 && current.front().is("void");
    if (!current.empty() && !is_void) parameters.push_back(parameter_of(current));
    current.clear();
  };
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {  // without the brackets around all
    depth += simt::deepening(tokens[i]);
    if (depth == 0 && tokens[i].is(",")) {
      flush();
    } else {
      current.push_back(tokens[i]);
    }
  }
  flush();
  return parameters;
}

/// What stands between the angle brackets of "tk<float, 4>", cut at its commas.
std::vector<std::string> arguments_of(std::string_view instance) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  const std::size_t open = instance.find('<');
  const std::size_t close = instance.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  for (const char c : instance.substr(open + 1, close - open - 1)) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      arguments.emplace_back();
    } else {
      arguments.back() += c;
    }
  }
  return arguments;
}

/// A parameter of a template: `typename T`, `int N`.
struct TemplateParameter {
  std::string name;
  bool is_type = false;
};

/// Those of the template whose kernel's body begins at `body`: the last `template <…>` before it.
std::vector<TemplateParameter> template_parameters(const std::vector<Token>& tokens,
                                                   std::size_t body) {
  std::size_t at = std::min(body, tokens.size());
  while (at > 0 && !tokens[at - 1].is("template")) --at;
  std::vector<TemplateParameter> parameters;
  if (at == 0 || at >= tokens.size() || !tokens[at].is("<")) return parameters;
  int depth = 1;
  bool in_default = false;
  parameters.emplace_back();
  for (std::size_t i = at + 1; i < body && depth > 0; ++i) {
    const Token& token = tokens[i];
    depth += simt::deepening(token);
    if (depth == 1 && token.is(",")) {
      parameters.emplace_back();
      in_default = false;
    } else if (token.is("=")) {
      in_default = true;
    } else if (token.is("typename") || token.is("class")) {
      parameters.back().is_type = !in_default;
    } else if (depth > 0 && !in_default && token.kind == simt::TokenKind::word) {
      parameters.back().name = token.spelling;
    }
  }
  return parameters;
}

/// "tk<float, 16>": an instance to copy from.
std::string example_of(const simt::KernelDefinition& kernel,
                       const std::vector<TemplateParameter>& parameters) {
  std::string text;
  for (const TemplateParameter& parameter : parameters) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", parameter.is_type ? "float" : "16");
  }
  return fmt::format("{}<{}>", kernel.qualified_name, text.empty() ? "float" : text);
}

/// The kernel's parameters with the names of the template replaced by what the instance has.
std::string instantiated(std::string_view parameters, const std::vector<TemplateParameter>& formal,
                         const std::vector<std::string>& actual) {
  std::string text;
  for (const Token& token : simt::lex(parameters)) {
    std::string_view word = token.spelling;
    for (std::size_t i = 0; i < std::min(formal.size(), actual.size()); ++i) {
      if (token.spelling == formal[i].name) word = actual[i];
    }
    text += fmt::format("{}{}", text.empty() ? "" : " ", word);
  }
  return text;
}

Result<KernelSignature> signature_of(const simt::KernelDefinition& kernel,
                                     const std::vector<Token>& tokens,
                                     const std::optional<std::string>& name) {
  if (!kernel.is_template) {
    return KernelSignature{.name = kernel.qualified_name,
                           .parameters = parameters_of(kernel.parameters)};
  }
  const std::vector<TemplateParameter> formal = template_parameters(tokens, kernel.body_begin);
  const std::vector<std::string> actual = name ? arguments_of(*name) : std::vector<std::string>{};
  if (actual.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is a template: name an instance, --kernel-name '{}'",
                            kernel.qualified_name, example_of(kernel, formal)));
  }
  return KernelSignature{
      .name = *name, .parameters = parameters_of(instantiated(kernel.parameters, formal, actual))};
}

}  // namespace

std::vector<std::string> kernel_names(std::string_view source) {
  const std::vector<Token> tokens = simt::lex(source);
  const simt::Structure structure = simt::find_structure(tokens);
  std::vector<std::string> names;
  const bool any_kept = std::ranges::any_of(structure.kernels, &simt::KernelDefinition::is_kept);
  std::unordered_set<std::string_view> seen;
  for (const simt::KernelDefinition& kernel : structure.kernels) {
    if (any_kept && !kernel.is_kept) continue;
    if (seen.insert(kernel.qualified_name).second) names.push_back(kernel.qualified_name);
  }
  return names;
}

Result<KernelSignature> kernel_signature(std::string_view source,
                                         const std::optional<std::string>& name) {
  const std::vector<Token> tokens = simt::lex(source);
  const simt::Structure structure = simt::find_structure(tokens);
  std::string names;
  std::vector<const simt::KernelDefinition*> fitting;
  for (const simt::KernelDefinition& kernel : structure.kernels) {
    names += (names.empty() ? "" : ", ") + kernel.qualified_name;
    const std::string plain = name ? name->substr(0, name->find('<')) : "";
    if (!name || kernel.qualified_name == plain || kernel.name == plain) fitting.push_back(&kernel);
  }
  if (names.empty()) {
    return fail(ErrorCode::invalid_argument, "there is no __global__ function in the source");
  }
  if (fitting.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("there is no kernel '{}' in the source (there is: {})", *name, names));
  }
  if (fitting.size() > 1) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the source has several kernels ({}): say which one with --kernel-name",
                            names));
  }
  return signature_of(*fitting.front(), tokens, name);
}

}  // namespace assay::compile
