#include "simt/translate.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "simt/edits.hpp"
#include "simt/inline_ptx.hpp"
#include "simt/launches.hpp"
#include "simt/lexer.hpp"
#include "simt/lockstep.hpp"
#include "simt/shared_variables.hpp"
#include "simt/structure.hpp"
#include "simt/torch_words.hpp"

namespace assay::simt {
namespace {

bool is_specifier(const Token& token) {
  static constexpr std::string_view kWords[] = {
      "static",    "inline", "__inline__", "__inline", "__host__",       "__device__",
      "constexpr", "extern", "virtual",    "const",    "__forceinline__"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return token.is(word); });
}

/// __forceinline__ stands for `inline` with an attribute, and C++ allows `inline` only once.
void drop_second_inline(const std::vector<Token>& tokens, std::size_t forced, Edits& edits) {
  const auto drop = [&](std::size_t i) {
    if (tokens[i].spelling.find("inline") != std::string_view::npos && i != forced) {
      edits.replace(tokens[i].offset, tokens[i].spelling.size(), "");
    }
  };
  for (std::size_t i = forced; i > 0 && is_specifier(tokens[i - 1]); --i) drop(i - 1);
  for (std::size_t i = forced + 1; i < tokens.size() && is_specifier(tokens[i]); ++i) drop(i);
}

/// Inside __attribute__((...)) the word is the compiler's own.
bool is_attribute_argument(const std::vector<Token>& tokens, std::size_t i) {
  return i > 0 && (tokens[i - 1].is("(") || tokens[i - 1].is(","));
}

void rewrite_words(const std::vector<Token>& tokens, Edits& edits) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("__forceinline__")) drop_second_inline(tokens, i, edits);
    if (tokens[i].is("__noinline__") && !is_attribute_argument(tokens, i)) {
      edits.replace(tokens[i].offset, tokens[i].spelling.size(), "__attribute__((noinline))");
    }
  }
}

struct DeviceFunction {
  std::string_view name;
  std::string_view ours;
};
/// Functions that mean something else in device code than in the C library: clock() counts cycles,
/// printf() returns the number of its arguments.
constexpr DeviceFunction kDeviceFunctions[] = {{"clock", "assay_simt_clock"},
                                               {"printf", "assay_simt_printf"}};

void rewrite_device_calls(const std::vector<Token>& tokens, const Structure& structure,
                          Edits& edits) {
  for (const FunctionBody& function : structure.functions) {
    if (!runs_on_device(tokens, function)) continue;
    for (std::size_t i = function.open; i + 1 < function.close; ++i) {
      const bool qualified =
          tokens[i - 1].is("::") || tokens[i - 1].is(".") || tokens[i - 1].is("->");
      if (qualified || !tokens[i + 1].is("(")) continue;
      for (const auto& [name, ours] : kDeviceFunctions) {
        if (tokens[i].is(name)) edits.replace(tokens[i].offset, name.size(), std::string(ours));
      }
    }
  }
}

/// Two kernels of one name but different parameters cannot be told apart by name.
class Overloads {
 public:
  explicit Overloads(const std::vector<KernelDefinition>& kernels) {
    std::map<std::string_view, std::string_view> first;
    for (const KernelDefinition& kernel : kernels) {
      const auto [found, is_new] = first.try_emplace(kernel.qualified_name, kernel.parameters);
      if (!is_new && found->second != kernel.parameters) names_.insert(kernel.qualified_name);
    }
  }
  [[nodiscard]] bool contain(const KernelDefinition& kernel) const {
    return names_.contains(kernel.qualified_name);
  }

 private:
  std::set<std::string_view> names_;
};

std::string entry_name(const Overloads& overloads, const KernelDefinition& kernel) {
  return kernel.qualified_name + (overloads.contain(kernel) ? kernel.parameters : "");
}

/// The kernel as an expression that has no other meaning.
std::string one_of_overloads(const Overloads& overloads, const KernelDefinition& kernel) {
  if (!overloads.contain(kernel)) return kernel.name;
  return fmt::format("*static_cast<void (*){}>({})", kernel.parameters, kernel.name);
}

/// Calls that name a kernel by its address, without its type.
bool takes_addresses(const std::vector<Token>& tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    return token.spelling.starts_with("cudaLaunch") || token.spelling.starts_with("cudaFunc") ||
           token.spelling.starts_with("cudaOccupancy");
  });
}

/// Tells threads that run to the end from those that return before it.
void mark_ends(const std::vector<Token>& tokens, const Structure& structure, Edits& edits) {
  for (const KernelDefinition& kernel : structure.kernels) {
    if (kernel.body_end == 0) continue;
    edits.insert(tokens[kernel.body_end].offset, " ASSAY_SIMT_END(); ");
  }
}

void register_kernels(const std::vector<Token>& tokens, const Structure& structure,
                      const Overloads& overloads, bool module, Edits& edits) {
  const bool by_address = takes_addresses(tokens);
  for (const KernelDefinition& kernel : structure.kernels) {
    if (kernel.is_template || kernel.body_end == 0) continue;
    std::string code;
    if (module) {
      code = fmt::format(" ASSAY_SIMT_KERNEL(\"{}\", {}, {})", entry_name(overloads, kernel),
                         kernel.line, one_of_overloads(overloads, kernel));
    }
    if (by_address && !overloads.contain(kernel)) {
      code += fmt::format(" ASSAY_SIMT_FUNCTION(\"{}\", {})", kernel.qualified_name, kernel.name);
    }
    edits.insert(tokens[kernel.body_end].end(), code);
  }
}

Result<std::string> trailer(const std::vector<std::string>& name_expressions) {
  std::string text = "\n#line 1 \"name_expressions\"\n";
  for (const std::string& name : name_expressions) {
    const bool one_line = std::ranges::none_of(name, [](char c) {
      return c == '\n' || c == '\r' || c == '\0' || c == '"' || c == '\\' || c == ';' || c == '{';
    });
    if (name.empty() || !one_line) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("name expression \"{}\" does not name a template instance", name));
    }
    text += fmt::format("ASSAY_SIMT_KERNEL(\"{}\", 0, {})\n", name, name);
  }
  return text + "ASSAY_SIMT_MODULE()\n";
}

}  // namespace

Result<Translation> translate(std::string_view source, const TranslateOptions& options) {
  const auto tokens = lex(source);
  const Structure structure = find_structure(tokens, lex(options.macros));
  Edits edits;
  rewrite_shared_variables(source, tokens, structure, edits);
  rewrite_launches(source, tokens, edits);
  keep_kernel_types(tokens, structure, edits);
  rewrite_words(tokens, edits);
  const bool has_ptx = rewrite_inline_ptx(source, tokens, edits);
  if (options.torch) rewrite_torch_words(tokens, edits);
  rewrite_device_calls(tokens, structure, edits);
  keep_in_step(tokens, structure, edits);
  mark_ends(tokens, structure, edits);
  const Overloads overloads(structure.kernels);
  register_kernels(tokens, structure, overloads, options.module, edits);

  Translation result;
  result.source =
      fmt::format("{}#line 1 \"{}\"\n{}", has_ptx ? "#include <assay/simt/ptx.hpp>\n" : "",
                  options.file_name, edits.apply(source));
  if (options.module) {
    ASSAY_TRY(const std::string end, trailer(options.name_expressions));
    result.source += end;
  }
  for (const KernelDefinition& kernel : structure.kernels) {
    result.kernels.push_back({.name = kernel.qualified_name,
                              .entry = entry_name(overloads, kernel),
                              .line = kernel.line,
                              .parameter_count = kernel.parameter_count,
                              .is_template = kernel.is_template,
                              .is_kept = kernel.is_kept});
  }
  return result;
}

}  // namespace assay::simt
