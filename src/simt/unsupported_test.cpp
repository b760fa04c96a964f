#include "simt/unsupported.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace assay::simt {
namespace {

std::string first(std::string_view source) {
  const auto found = find_unsupported(source);
  return found.empty() ? "" : std::to_string(found[0].line) + ": " + found[0].construct;
}

TEST(Unsupported, names_the_ptx_instruction_and_its_line) {
  EXPECT_EQ(first("int f() {\n  asm volatile(\"cp.async.bulk.tensor.2d %0;\" :: \"r\"(1));\n}"),
            "2: inline PTX (cp.async.bulk.tensor.2d)");
}

TEST(Unsupported, allows_assembly_that_only_orders_memory) {
  EXPECT_EQ(first("void f() { asm volatile(\"\" ::: \"memory\"); }"), "");
}

TEST(Unsupported, finds_tensor_cores_textures_clusters_and_nested_launches) {
  EXPECT_EQ(first("\nusing namespace nvcuda::wmma::experimental;"),
            "2: tensor-core intrinsics (wmma::experimental)");
  EXPECT_EQ(
      first("using namespace nvcuda; wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;"), "");
  EXPECT_EQ(first("texture<float, 2> t;"), "1: textures");
  EXPECT_EQ(first("__global__ void __cluster_dims__(2, 1, 1) k() {}"),
            "1: thread block clusters (__cluster_dims__)");
  EXPECT_EQ(first("__global__ void k() {\n  child<<<1, 1>>>();\n}"),
            "2: dynamic parallelism (a launch inside a kernel)");
}

TEST(Unsupported, refuses_libraries_by_name) {
  EXPECT_EQ(first("#include <cuda_runtime.h>\n#include <thrust/sort.h>\n"),
            "2: Thrust (<thrust/sort.h>)");
  EXPECT_EQ(first("#include <cub/block/block_histogram.cuh>\n"),
            "1: CUB (<cub/block/block_histogram.cuh>)");
  EXPECT_EQ(first("#include <cub/cub.cuh>\nusing Reduce = cub::BlockReduce<int, 32>;"), "");
  EXPECT_EQ(first("\n#include <ATen/cuda/CUDABlas.h>\n"), "2: cuBLAS (<ATen/cuda/CUDABlas.h>)");
}

TEST(Unsupported, refuses_a_library_that_is_used_without_its_header) {
  EXPECT_EQ(first("__global__ void k() {\n  using R = cub::BlockHistogram<int, 128>;\n}"),
            "2: CUB (cub::BlockHistogram)");
  EXPECT_EQ(first("int cub = 1; auto x = mine.cub;"), "");
}

TEST(Unsupported, leaves_out_what_the_preprocessor_leaves_out) {
  EXPECT_EQ(first("#if 0\nasm(\"a\");\n#endif\n"), "");
  EXPECT_EQ(
      first("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\nasm(\"wgmma\");\n#else\n#endif"),
      "");
  EXPECT_EQ(first("#define USE 1\n#if !USE\nasm(\"a\");\n#elif USE == 1\nasm(\"b\");\n#endif"),
            "5: inline PTX (b)");
  EXPECT_EQ(first("#ifndef __CUDA_ARCH__\nasm(\"a\");\n#endif"), "");
}

TEST(Unsupported, is_not_fooled_by_comments_strings_and_members) {
  EXPECT_EQ(first("// asm(\"x\")\nconst char* s = \"wmma texture<\"; int texture = v.tex2D;"), "");
}

}  // namespace
}  // namespace assay::simt
