#include "compile/nvrtc_headers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/embedded_file.hpp"

namespace assay::compile {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSameAs = {{
    {"cstdint", "stdint.h"},
    {"cstddef", "stddef.h"},
    {"climits", "limits.h"},
    {"cfloat", "float.h"},
    {"cmath", "math.h"},
    // As CUTLASS calls them with CUDA 13.
    {"cccl/cuda/std/cstdint", "cuda/std/cstdint"},
    {"cccl/cub/cub.cuh", "cub/cub.cuh"},
}};

// What device code uses of them (printf, assert, malloc, memcpy) is there without a header.
constexpr std::array kEmpty = {"assert.h", "cassert", "stdio.h",  "cstdio",
                               "stdlib.h", "cstdlib", "string.h", "cstring"};

std::vector<NvrtcHeader> make_headers() {
  std::vector<NvrtcHeader> headers;
  for (const EmbeddedFile& file : nvrtc_include_files()) {
    if (file.path == kSignatureFile) continue;
    headers.push_back({std::string(file.path), std::string(file.content)});
  }
  for (const auto& [name, target] : kSameAs) {
    headers.push_back({std::string(name), fmt::format("#include <{}>\n", target)});
  }
  for (const char* name : kEmpty) headers.push_back({name, "\n"});
  return headers;
}

}  // namespace

const std::vector<NvrtcHeader>& nvrtc_headers() {
  static const std::vector<NvrtcHeader> kHeaders = make_headers();
  return kHeaders;
}

std::string signature_request(std::string_view expression) {
  const auto files = nvrtc_include_files();
  const auto file = std::ranges::find(files, kSignatureFile, &EmbeddedFile::path);
  return fmt::format("\n#define ASSAY_ENTRY {}\n#line 1 \"{}\"\n{}", expression, kSignatureFile,
                     file->content);
}

}  // namespace assay::compile
