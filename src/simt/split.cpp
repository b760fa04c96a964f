#include "simt/split.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "simt/edits.hpp"
#include "simt/launches.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

using Tokens = std::span<const Token>;

bool says(Tokens tokens, std::string_view word) {
  return std::ranges::any_of(tokens, [&](const Token& token) { return token.is(word); });
}

bool says_one_of(Tokens tokens, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return says(tokens, word); });
}

template <std::size_t count>
bool begins_with_one_of(std::string_view text, const std::array<const char*, count>& prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// Calls that take a kernel or a device variable for an object of the runtime, which knows only
/// what nvcc has registered with it.
bool needs_registration(std::string_view word) {
  return begins_with_one_of(
      word,
      std::array{"cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaGetSymbol", "cudaOccupancy",
                 "cudaLaunch", "cudaFuncGet", "cudaFuncSetCache", "cudaGraphAddKernel"});
}

/// "cuda_fp16.h" of an #include directive that starts at `i`; empty where it is none.
std::string included_header(std::string_view source, const std::vector<Token>& tokens,
                            std::size_t i) {
  if (!tokens[i].starts_directive || i + 2 >= tokens.size() || !tokens[i + 1].is("include")) {
    return {};
  }
  const std::size_t begin = tokens[i + 2].offset + 1;
  const char close = tokens[i + 2].is("<") ? '>' : '"';
  const std::size_t end = source.find(close, begin);
  return end == std::string_view::npos ? "" : std::string(source.substr(begin, end - begin));
}

bool only_nvcc_reads(std::string_view header) {
  return begins_with_one_of(header,
                            std::array{"thrust/", "cutlass/", "cute/", "cudnn", "curand_kernel"});
}

/// Who gets a header of CUDA that NVRTC can read, asked in turn; the others are the host's alone.
bool both_read(std::string_view header) {
  constexpr std::array kNames = {"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "math_constants.h",
                                 "vector_types.h"};
  return std::ranges::count(kNames, header) > 0 || header.starts_with("cuda/std/");
}
bool only_device_reads(std::string_view header) {
  return begins_with_one_of(
      header, std::array{"cooperative_groups", "cub/", "cuda/", "cuda_pipeline", "mma.h"});
}

/// The last word of a declarator, which is its name: "x" of "const float* __restrict__ x = 0".
std::optional<std::string_view> declared_name(Tokens declarator) {
  std::optional<std::string_view> name;
  for (const Token& token : declarator) {
    if (token.is("=") || token.is("[")) break;
    if (token.kind == TokenKind::word) name = token.spelling;
    if (token.is("(")) return std::nullopt;  // a function or array pointer: not worth reading
  }
  return name;
}

/// What commas separate that stand in no bracket.
std::vector<Tokens> parts_of(Tokens inside) {
  std::vector<Tokens> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    depth += deepening(inside[i]);
    if (!inside[i].is(",") || depth > 0) continue;
    parts.push_back(inside.subspan(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(inside.subspan(begin));
  return parts;
}

/// The names of what is declared between two brackets.
std::optional<std::vector<std::string>> names_between(Tokens inside) {
  std::vector<std::string> names;
  for (const Tokens one : parts_of(inside)) {
    if (one.empty()) continue;
    if (one.size() == 1 && one[0].is("void")) continue;
    const auto name = declared_name(one);
    if (!name || one.size() < 2) return std::nullopt;  // has no name that a stub could use
    const bool pack = says(one, ".");
    names.push_back(std::string(*name) + (pack ? "..." : ""));
  }
  return names;
}

/// The template arguments that name the instance a kernel's stub is: "<T, N>".
std::optional<std::string> own_instance(Tokens heading) {
  if (!says(heading, "template")) return "";
  const auto word = std::ranges::find_if(heading, [](const Token& t) { return t.is("template"); });
  std::size_t i = static_cast<std::size_t>(word - heading.begin()) + 1;
  if (i >= heading.size() || !heading[i].is("<")) return std::nullopt;
  const std::size_t open = i;
  int depth = 0;
  for (; i < heading.size(); ++i) {
    if (heading[i].is("<")) ++depth;
    if (heading[i].is(">") && --depth == 0) break;
  }
  const auto names = names_between(heading.subspan(open + 1, i - open - 1));
  if (!names || names->empty()) return std::nullopt;
  return fmt::format("<{}>", fmt::join(*names, ", "));
}

/// Whether conditionals stand inside it: a part of it may not go without the rest.
bool is_conditional(Tokens heading) {
  for (std::size_t i = 0; i + 1 < heading.size(); ++i) {
    if (heading[i].starts_directive && heading[i + 1].spelling.starts_with("if")) return true;
  }
  return false;
}

class Splitter {
 public:
  Splitter(std::string_view source, std::string_view file_name)
      : source_(source),
        file_name_(file_name),
        tokens_(lex(source)),
        structure_(find_structure(tokens_)) {}

  Result<SplitSource> run() {
    for (const auto step :
         {&Splitter::check, &Splitter::split_includes, &Splitter::split_declarations,
          &Splitter::split_kernels, &Splitter::split_functions}) {
      if (auto done = (this->*step)(); !done) return std::unexpected(std::move(done).error());
    }
    rewrite_launches(source_, tokens_, host_);
    name_anonymous_namespaces();
    SplitSource result{
        .host = fmt::format("#line 1 \"{}\"\n{}", file_name_, host_.apply(source_)),
        .device = fmt::format("#line 1 \"{}\"\n{}", file_name_, device_.apply(source_)),
        .kernels = {}};
    for (const KernelDefinition& kernel : structure_.kernels) {
      result.kernels.push_back(kernel.qualified_name);
    }
    return result;
  }

 private:
  static std::unexpected<Error> whole(std::string reason) {
    return fail(ErrorCode::unavailable, std::move(reason));
  }

  Result<void> check() {
    for (const Token& token : tokens_) {
      if (token.kind == TokenKind::word && needs_registration(token.spelling)) {
        return whole(
            fmt::format("line {}: {} needs nvcc's registration", token.line, token.spelling));
      }
      if (launches_by_itself(token)) {
        return whole(fmt::format("line {}: cub::{} needs nvcc", token.line, token.spelling));
      }
    }
    for (const FunctionBody& function : structure_.functions) {
      if (function.close < tokens_.size()) continue;
      return whole(fmt::format("line {}: the function that begins here does not end",
                               tokens_[function.declaration].line));
    }
    for (const FunctionBody& function : structure_.functions) {
      if (!is_conditional(heading(function))) continue;
      return whole(fmt::format("line {}: the heading that begins here has alternatives",
                               tokens_[function.declaration].line));
    }
    std::unordered_map<std::string_view, std::uint32_t> lines;
    for (const KernelDefinition& kernel : structure_.kernels) {
      const auto [first, is_new] = lines.try_emplace(kernel.qualified_name, kernel.line);
      if (!is_new) {
        return whole(fmt::format("line {}: there is more than one kernel '{}'", first->second,
                                 kernel.qualified_name));
      }
    }
    return {};
  }

  /// Algorithms of CUB for a whole device have kernels of their own: cub::DeviceReduce.
  [[nodiscard]] bool launches_by_itself(const Token& token) const {
    const auto i = static_cast<std::size_t>(&token - tokens_.data());
    return i > 1 && token.spelling.starts_with("Device") && tokens_[i - 1].is("::") &&
           tokens_[i - 2].is("cub");
  }

  Result<void> split_includes() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string header = included_header(source_, tokens_, i);
      if (header.empty()) continue;
      if (only_nvcc_reads(header)) return whole(fmt::format("<{}> needs nvcc", header));
      if (both_read(header)) continue;
      Edits& other = only_device_reads(header) ? host_ : device_;
      const std::size_t end = source_.find('\n', tokens_[i].offset);
      other.replace(tokens_[i].offset,
                    (end == std::string_view::npos ? source_.size() : end) - tokens_[i].offset, "");
    }
    return {};
  }

  [[nodiscard]] Tokens heading(const FunctionBody& function) const {
    return Tokens(tokens_).subspan(function.declaration, function.open - function.declaration);
  }

  /// A kernel's body becomes a launch of the kernel itself, as nvcc has it.
  Result<void> split_kernels() {
    for (const KernelDefinition& kernel : structure_.kernels) {
      const auto function = std::ranges::lower_bound(structure_.functions, kernel.body_begin, {},
                                                     &FunctionBody::open);
      if (function == structure_.functions.end() || function->open != kernel.body_begin ||
          kernel.body_end == 0) {
        return whole(fmt::format("line {}: kernel '{}' has no end", kernel.line, kernel.name));
      }
      const Tokens head = heading(*function);
      const auto stub = stub_of(kernel, head);
      if (!stub) {
        return whole(fmt::format("line {}: the parameters of kernel '{}' cannot be read",
                                 kernel.line, kernel.name));
      }
      replace_tokens(host_, kernel.body_begin, kernel.body_end, *stub);
      for (const Token& token : head) {  // a stub is found by its symbol
        if (token.is("static") || token.is("inline")) {
          host_.replace(token.offset, token.spelling.size(), "");
        }
      }
    }
    return {};
  }

  std::optional<std::string> stub_of(const KernelDefinition& kernel, Tokens head) const {
    const auto instance = own_instance(head);
    const auto name = std::ranges::find_if(head, [&](const Token& token) {
      return token.line == kernel.line && token.is(kernel.name);
    });
    if (!instance || name == head.end() || name + 1 == head.end()) return std::nullopt;
    const auto open = static_cast<std::size_t>(name - head.begin()) + 1;
    const std::size_t absolute = static_cast<std::size_t>(&head[open] - tokens_.data());
    const std::size_t close = closing(tokens_, absolute);
    const auto names = names_between(Tokens(tokens_).subspan(absolute + 1, close - absolute - 1));
    if (!names) return std::nullopt;
    std::string arguments;
    for (const std::string& parameter : *names) {
      if (parameter.ends_with("...")) return std::nullopt;
      arguments += fmt::format("::assay::gpu::address_of({}), ", parameter);
    }
    return fmt::format(
        "{{ const void* assay_arguments[] = {{{}nullptr}}; ::assay::gpu::launch("
        "reinterpret_cast<const void*>(&{}{}), \"{}\", assay_arguments); }}",
        arguments, kernel.name, *instance, kernel.qualified_name);
  }

  /// Device functions lose their bodies on the host side, host functions vanish on the device's.
  Result<void> split_functions() {
    for (const FunctionBody& function : structure_.functions) {
      const Tokens head = heading(function);
      if (head.empty() || says(head, "__global__")) continue;
      const bool device = says(head, "__device__");
      const bool both = device && says(head, "__host__");
      if (device && !both && outermost(function) && mentions_device_types(head)) {
        replace_tokens(host_, function.declaration, function.close, "");
      } else if (device && !both) {
        replace_tokens(host_, function.open, function.close, "{ ::assay::gpu::only_on_device(); }");
      }
      if (!device && !says(head, "constexpr") && outermost(function)) {
        replace_tokens(device_, function.declaration, function.close, "");
      }
    }
    return {};
  }

  [[nodiscard]] bool outermost(const FunctionBody& function) const {
    return function.declaration < structure_.at_namespace_scope.size() &&
           structure_.at_namespace_scope[function.declaration];
  }

  /// Prototypes and aliases in terms of torch mean nothing to device code, save for a few types;
  /// those in terms of device types mean nothing to the host.
  Result<void> split_declarations() {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].in_directive || !structure_.at_namespace_scope[i]) {
        begin = i + 1;
        continue;
      }
      if (tokens_[i].is("{") || tokens_[i].is("}")) {
        begin = i + 1;
        continue;
      }
      if (!tokens_[i].is(";")) continue;
      const Tokens declaration = Tokens(tokens_).subspan(begin, i - begin);
      if (begins_at_namespace_scope(begin, i)) split_declaration(declaration, begin, i);
      begin = i + 1;
    }
    return {};
  }

  void split_declaration(Tokens declaration, std::size_t begin, std::size_t end) {
    if (!says(declaration, "namespace") && mentions_device_types(declaration)) {
      replace_tokens(host_, begin, end, "");
      if (declaration.size() > 2 && declaration[0].is("using") && declaration[2].is("=")) {
        device_types_.push_back(declaration[1].spelling);
      }
    }
    if (mentions_host(declaration) && !says(declaration, "__device__")) {
      replace_tokens(device_, begin, end, "");
    }
  }

  /// By the names that their namespaces commonly go by. What else needs them fails on the host
  /// side, and goes to nvcc.
  [[nodiscard]] bool mentions_device_types(Tokens declaration) const {
    return says_one_of(declaration, device_types_);
  }

  [[nodiscard]] bool begins_at_namespace_scope(std::size_t begin, std::size_t end) const {
    return begin < end && structure_.at_namespace_scope[begin];
  }

  static bool mentions_host(Tokens declaration) {
    constexpr std::array<std::string_view, 4> kNames = {"pybind11", "py", "std", "Tensor"};
    if (says_one_of(declaration, kNames)) return true;
    for (std::size_t i = 0; i < declaration.size(); ++i) {
      const Token& token = declaration[i];
      if (!token.is("torch") && !token.is("at") && !token.is("c10")) continue;
      const bool qualifies = i + 2 < declaration.size() && declaration[i + 1].is("::");
      if (qualifies && !device_has(declaration[i + 2].spelling)) return true;
    }
    return false;
  }

  /// The names of torch that assay/gpu/device.hpp stands in for.
  static bool device_has(std::string_view name) {
    return name == "Half" || name == "BFloat16" || name.ends_with("PtrTraits") ||
           name.find("TensorAccessor") != std::string_view::npos;
  }

  /// Symbols of an anonymous namespace have no name to be found by.
  void name_anonymous_namespaces() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!tokens_[i].is("namespace") || !tokens_[i + 1].is("{")) continue;
      for (Edits* edits : {&host_, &device_}) {
        edits->replace(tokens_[i].offset, tokens_[i].spelling.size(),
                       "inline namespace assay_anonymous");
      }
    }
  }

  void replace_tokens(Edits& edits, std::size_t first, std::size_t last, std::string text) const {
    if (last >= tokens_.size()) return;
    edits.replace(tokens_[first].offset, tokens_[last].end() - tokens_[first].offset,
                  std::move(text));
  }

  std::string_view source_;
  std::string_view file_name_;
  std::vector<Token> tokens_;
  Structure structure_;
  Edits host_;
  Edits device_;
  // What only headers that the host side is not shown declare, and aliases of it.
  std::vector<std::string_view> device_types_ = {
      "cg",           "cooperative_groups", "coalesced_group", "cub", "nvcuda",
      "thread_block", "thread_block_tile",  "thread_group",    "wmma"};
};

}  // namespace

Result<SplitSource> split(std::string_view source, std::string_view file_name) {
  return Splitter(source, file_name).run();
}

}  // namespace assay::simt
