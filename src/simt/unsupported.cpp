#include "simt/unsupported.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "simt/conditionals.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

struct Word {
  std::string_view spelling;
  std::string_view construct;
};

constexpr auto kWords = std::to_array<Word>({
    {"wmma", "tensor-core intrinsics (nvcuda::wmma)"},
    {"nvcuda", "tensor-core intrinsics (nvcuda)"},
    {"wgmma", "tensor-core intrinsics (wgmma)"},
    {"texture", "textures"},
    {"surface", "surfaces"},
    {"tex1D", "textures (tex1D)"},
    {"tex1Dfetch", "textures (tex1Dfetch)"},
    {"tex2D", "textures (tex2D)"},
    {"tex2DLayered", "textures (tex2DLayered)"},
    {"tex3D", "textures (tex3D)"},
    {"tex2DLod", "textures (tex2DLod)"},
    {"tex2Dgather", "textures (tex2Dgather)"},
    {"texCubemap", "textures (texCubemap)"},
    {"surf1Dread", "surfaces (surf1Dread)"},
    {"surf1Dwrite", "surfaces (surf1Dwrite)"},
    {"surf2Dread", "surfaces (surf2Dread)"},
    {"surf2Dwrite", "surfaces (surf2Dwrite)"},
    {"surf3Dread", "surfaces (surf3Dread)"},
    {"surf3Dwrite", "surfaces (surf3Dwrite)"},
    {"cudaTextureObject_t", "textures (cudaTextureObject_t)"},
    {"cudaSurfaceObject_t", "surfaces (cudaSurfaceObject_t)"},
    {"cudaCreateTextureObject", "textures (cudaCreateTextureObject)"},
    {"__cluster_dims__", "thread block clusters (__cluster_dims__)"},
    {"cluster_group", "thread block clusters (cluster_group)"},
    {"this_cluster", "thread block clusters (this_cluster)"},
    {"clusterIdx", "thread block clusters (clusterIdx)"},
    {"CUtensorMap", "TMA (CUtensorMap)"},
    {"cuTensorMapEncodeTiled", "TMA (cuTensorMapEncodeTiled)"},
    {"cp_async_bulk", "TMA (cp_async_bulk)"},
    {"getCurrentCUDABlasHandle", "cuBLAS (getCurrentCUDABlasHandle)"},
    {"cudaLaunchDevice", "dynamic parallelism"},
    {"cudaGetParameterBuffer", "dynamic parallelism"},
});

constexpr auto kHeaders = std::to_array<Word>({
    {"cub/", "CUB"},
    {"thrust/", "Thrust"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CuTe"},
    {"curand_kernel.h", "cuRAND device functions"},
    {"curand.h", "cuRAND"},
    {"cublas", "cuBLAS"},
    {"cufft", "cuFFT"},
    {"cudnn", "cuDNN"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"nccl.h", "NCCL"},
    {"nvshmem.h", "NVSHMEM"},
    {"ATen/cuda/CUDABlas.h", "cuBLAS"},
    {"ATen/cuda/CUDASparse", "cuSPARSE"},
    {"ATen/cuda/cub", "CUB"},
    {"ATen/cuda/CUDAGraph", "CUDA graphs"},
    {"ATen/cudnn/", "cuDNN"},
});

/// The word after which PTX is no instruction but a register or a plain comment.
std::string_view instruction_of(std::string_view literal) {
  const std::size_t begin = literal.find_first_not_of("\" \t{");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = literal.find_first_of(" \t;\"\\", begin);
  return literal.substr(begin, end == std::string_view::npos ? end : end - begin);
}

class Finder {
 public:
  Finder(std::string_view source, std::string_view macros)
      : source_(source), tokens_(lex(source)), kept_(kept_tokens(tokens_, lex(macros))) {}

  std::vector<Unsupported> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!kept_[i]) continue;
      if (tokens_[i].starts_directive) {
        include(i);
      } else if (tokens_[i].kind == TokenKind::word) {
        word(i);
      }
    }
    nested_launches();
    std::ranges::stable_sort(found_, {}, &Unsupported::line);
    return std::move(found_);
  }

 private:
  void add(std::string construct, std::uint32_t line) {
    found_.push_back({.construct = std::move(construct), .line = line});
  }

  void word(std::size_t i) {
    const Token& token = tokens_[i];
    if (token.is("asm") || token.is("__asm__") || token.is("__asm")) return inline_ptx(i);
    if (const std::string_view library = library_of(i); !library.empty()) {
      return add(fmt::format("{} ({}::{})", library, token.spelling, tokens_[i + 2].spelling),
                 token.line);
    }
    const bool is_member = i > 0 && (tokens_[i - 1].is(".") || tokens_[i - 1].is("->"));
    for (const Word& known : kWords) {
      if (!token.is(known.spelling) || is_member) continue;
      // `texture` and `surface` are keywords only as templates.
      const bool plain = token.is("texture") || token.is("surface");
      if (plain && (i + 1 >= tokens_.size() || !tokens_[i + 1].is("<"))) continue;
      return add(std::string(known.construct), token.line);
    }
  }

  /// The library whose namespace a token opens: `cub::BlockReduce`.
  [[nodiscard]] std::string_view library_of(std::size_t i) const {
    if (i + 2 >= tokens_.size() || !tokens_[i + 1].is("::")) return {};
    if (tokens_[i].is("cub")) return "CUB";
    if (tokens_[i].is("thrust")) return "Thrust";
    if (tokens_[i].is("cutlass")) return "CUTLASS";
    return {};
  }

  void inline_ptx(std::size_t i) {
    std::string_view instruction;
    std::size_t k = i + 1;
    while (k < tokens_.size() && tokens_[k].kind == TokenKind::word) ++k;  // volatile, goto
    if (k >= tokens_.size() || !tokens_[k].is("(")) return;
    const bool has_text = k + 1 < tokens_.size() && tokens_[k + 1].kind == TokenKind::text;
    if (has_text) instruction = instruction_of(tokens_[k + 1].spelling);
    // An empty one only orders memory, which the compiler here understands as well.
    if (has_text && instruction.empty()) return;
    add(instruction.empty() ? "inline PTX" : fmt::format("inline PTX ({})", instruction),
        tokens_[i].line);
  }

  void include(std::size_t i) {
    if (i + 2 >= tokens_.size() || !tokens_[i + 1].is("include")) return;
    const std::size_t begin = tokens_[i + 2].offset + 1;
    const std::size_t end = source_.find_first_of(">\"\n", begin);
    if (end == std::string_view::npos) return;
    const std::string_view header = source_.substr(begin, end - begin);
    for (const Word& known : kHeaders) {
      if (header.starts_with(known.spelling)) {
        return add(fmt::format("{} (<{}>)", known.construct, header), tokens_[i].line);
      }
    }
  }

  /// A launch inside a kernel is dynamic parallelism.
  void nested_launches() {
    for (const KernelDefinition& kernel : find_structure(tokens_).kernels) {
      for (std::size_t i = kernel.body_begin; i + 2 < kernel.body_end; ++i) {
        const bool triple = tokens_[i].is("<") && tokens_[i + 1].is("<") &&
                            tokens_[i + 2].is("<") &&
                            tokens_[i + 2].offset == tokens_[i].offset + 2;
        if (triple && kept_[i]) {
          add("dynamic parallelism (a launch inside a kernel)", tokens_[i].line);
          i += 2;
        }
      }
    }
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<bool> kept_;
  std::vector<Unsupported> found_;
};

}  // namespace

std::vector<Unsupported> find_unsupported(std::string_view source, std::string_view macros) {
  return Finder(source, macros).run();
}

}  // namespace assay::simt
