#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simt/lexer.hpp"

namespace assay::simt {

/// A `__global__` function that has a body. Indices are into the tokens.
struct KernelDefinition {
  std::string qualified_name;  // "ns::scale"; anonymous namespaces leave no trace
  std::string name;
  std::uint32_t line = 0;
  bool is_template = false;
  bool is_kept = true;         // by the preprocessor, as far as kept_tokens() can tell
  std::size_t body_begin = 0;  // its opening brace
  std::size_t body_end = 0;    // its closing brace; 0: none was found
  std::string parameters;      // "(const float* x, int n)", without defaults: tells overloads apart
  std::size_t parameter_count = 0;
};

/// A function body at namespace or class scope.
struct FunctionBody {
  std::size_t declaration = 0;  // first token of its declaration
  std::size_t open = 0;
  std::size_t close = 0;
};

/// What the scopes of a source hold. A sketch, not a parse: it follows braces and looks at what
/// stands before them. It takes #else branches as alternatives.
struct Structure {
  std::vector<KernelDefinition> kernels;
  std::vector<FunctionBody> functions;
  std::vector<bool> at_namespace_scope;  // per token
};

/// `before` are directives that stand before the tokens. They matter only for a declaration whose
/// beginning has alternatives: they decide from which one it goes on. Kernels are found in all
/// branches.
[[nodiscard]] Structure find_structure(const std::vector<Token>& tokens,
                                       const std::vector<Token>& before = {});

// The source is a stranger's and is read in our own process. So whatever could make the work grow
// faster than the source has an end, far beyond what people write.

/// The tokens of a declaration, or of what stands in its brackets.
inline constexpr std::size_t kMostTokens = 2048;
inline constexpr std::size_t kMostKernels = 4096;
/// The letters of the namespaces around a kernel.
inline constexpr std::size_t kLongestPrefix = 1024;

/// The token that closes the bracket at `open`, or tokens.size() if none of the next `most` does.
[[nodiscard]] std::size_t closing(const std::vector<Token>& tokens, std::size_t open,
                                  std::size_t most = static_cast<std::size_t>(-1));

/// Whether the function is a kernel or marked __device__.
[[nodiscard]] bool runs_on_device(const std::vector<Token>& tokens, const FunctionBody& function);

/// By how much the token changes the depth of brackets: 1, 0 or -1. It counts < and >, so it is not
/// for text that may be an expression.
[[nodiscard]] int deepening(const Token& token);

}  // namespace assay::simt
