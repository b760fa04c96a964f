#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::simt {

struct TranslateOptions {
  std::string file_name = "kernel.cu";  // as compiler messages shall call the source
  bool module = true;                   // kernels are launched from outside; false: by host code
  std::vector<std::string> name_expressions;  // template instances to offer: "scale<float, 4>"
  std::string macros;  // directives that stand before the source: what they leave out is not kept
  bool torch = false;  // an extension of torch: what it says about CUDA devices is said of the CPU
};

struct TranslatedKernel {
  std::string name;   // with its namespaces
  std::string entry;  // as the module lists it: the name, for overloads with the parameters
  std::uint32_t line = 0;
  std::size_t parameter_count = 0;
  bool is_template = false;  // offered only through a name expression
  bool is_kept = true;       // false: a conditional leaves it out, as far as can be told
};

struct Translation {
  std::string source;                     // C++20, to be compiled with compile_flags()
  std::vector<TranslatedKernel> kernels;  // every one defined, in the order of the source
};

/// Rewrites CUDA C++ into C++ for the headers under simt/include. It changes launches, __shared__
/// variables and the words C++ has no macro for. Everything else stays, on its own line. Errors in
/// the source are left for the compiler to report. Fails with `invalid_argument` for a name
/// expression that is not one line of text.
[[nodiscard]] Result<Translation> translate(std::string_view source,
                                            const TranslateOptions& options = {});

}  // namespace assay::simt
