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
#include "simt/inline_ptx.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

struct Word {
  std::string_view spelling;
  std::string_view construct;
};

constexpr auto kWords = std::to_array<Word>({
    {"bmma_sync", "tensor-core intrinsics on bits (bmma_sync)"},
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

/// The part of CUB that simt/include/cub has.
constexpr auto kCubHeaders = std::to_array<std::string_view>({
    "cub/cub.cuh",
    "cub/util_type.cuh",
    "cub/block/block_load.cuh",
    "cub/block/block_radix_sort.cuh",
    "cub/block/block_reduce.cuh",
    "cub/block/block_scan.cuh",
    "cub/block/block_store.cuh",
    "cub/device/device_radix_sort.cuh",
    "cub/device/device_reduce.cuh",
    "cub/device/device_scan.cuh",
    "cub/thread/thread_operators.cuh",
    "cub/warp/warp_reduce.cuh",
    "cub/warp/warp_scan.cuh",
});
/// What of CUB's names is not there.
constexpr auto kMissingFromCub = std::to_array<std::string_view>({
    "AgentReduce",
    "BlockAdjacentDifference",
    "BlockDiscontinuity",
    "BlockExchange",
    "BlockHistogram",
    "BlockMergeSort",
    "BlockRunLengthDecode",
    "BlockShuffle",
    "CachingDeviceAllocator",
    "CacheModifiedInputIterator",
    "CountingInputIterator",
    "DeviceAdjacentDifference",
    "DeviceCopy",
    "DeviceFor",
    "DeviceHistogram",
    "DeviceMemcpy",
    "DeviceMerge",
    "DeviceMergeSort",
    "DevicePartition",
    "DeviceRunLengthEncode",
    "DeviceSegmentedRadixSort",
    "DeviceSegmentedReduce",
    "DeviceSegmentedSort",
    "DeviceSelect",
    "DeviceTopK",
    "TransformInputIterator",
    "WarpExchange",
    "WarpLoad",
    "WarpMergeSort",
    "WarpStore",
});

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
    if (tokens_[i].is("cub")) {
      const bool missing =
          std::ranges::find(kMissingFromCub, tokens_[i + 2].spelling) != kMissingFromCub.end();
      return missing ? "CUB" : "";
    }
    if (tokens_[i].is("wmma") && tokens_[i + 2].is("experimental")) return "tensor-core intrinsics";
    if (tokens_[i].is("thrust")) return "Thrust";
    if (tokens_[i].is("cutlass")) return "CUTLASS";
    return {};
  }

  void inline_ptx(std::size_t i) {
    if (i + 1 >= tokens_.size() || tokens_[i + 1].kind == TokenKind::text) return;
    const auto statement = read_asm(source_, tokens_, i);
    if (!statement) return add("inline PTX that is not one literal", tokens_[i].line);
    if (const std::string unknown = unknown_ptx(*statement); !unknown.empty()) {
      add(fmt::format("inline PTX ({})", unknown), tokens_[i].line);
    }
  }

  void include(std::size_t i) {
    if (i + 2 >= tokens_.size() || !tokens_[i + 1].is("include")) return;
    const std::size_t begin = tokens_[i + 2].offset + 1;
    const std::size_t end = source_.find_first_of(">\"\n", begin);
    if (end == std::string_view::npos) return;
    const std::string_view header = source_.substr(begin, end - begin);
    if (header.starts_with("cub/") && std::ranges::find(kCubHeaders, header) == kCubHeaders.end()) {
      return add(fmt::format("CUB (<{}>)", header), tokens_[i].line);
    }
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
