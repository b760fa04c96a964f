#pragma once

#include <string>
#include <vector>

namespace assay {

struct ExtensionSource {
  std::string name;  // "cuda.cu"
  std::string text;
  bool is_cuda = false;
};

/// One call of torch's load_inline or load, as a Python kernel made it.
struct ExtensionCall {
  std::string key;   // 64 hexadecimal digits; names the result when the same call is made again
  std::string name;  // TORCH_EXTENSION_NAME
  std::vector<ExtensionSource> sources;
  std::vector<std::string> cflags;
  std::vector<std::string> cuda_cflags;
  bool instrumented = false;  // as Kernel has it
};

/// A kernel asked for extensions that were not built yet. They must be built, and its evaluation
/// must be repeated.
struct ExtensionsNeeded {
  std::vector<ExtensionCall> calls;  // not empty
  bool for_reference = false;
};

}  // namespace assay
