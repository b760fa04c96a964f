#include "simt/torch_words.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"

namespace assay::simt {
namespace {

std::string rewritten(std::string_view source) {
  Edits edits;
  rewrite_torch_words(lex(source), edits);
  return edits.apply(source);
}

TEST(TorchWords, asks_for_the_cpu_where_the_source_asks_for_cuda) {
  EXPECT_EQ(rewritten("#define CHECK(x) TORCH_CHECK(x.is_cuda(), #x)\n"),
            "#define CHECK(x) TORCH_CHECK(x.is_cpu(), #x)\n");
  EXPECT_EQ(rewritten("a->device().is_cuda()"), "a->device().is_cpu()");
  EXPECT_EQ(rewritten("a.type().is_cuda()"), "a.device().is_cpu()");
}

TEST(TorchWords, puts_new_tensors_where_the_others_are) {
  EXPECT_EQ(rewritten("o.device(torch::kCUDA, 0)"), "o.device(torch::kCPU, 0)");
  EXPECT_EQ(rewritten("x.to(c10::DeviceType::CUDA).cuda()"), "x.to(c10::DeviceType::CPU).cpu()");
  EXPECT_EQ(rewritten("torch::Device d(\"cuda:0\"), e(\"cuda\");"),
            "torch::Device d(\"cpu\"), e(\"cpu\");");
}

TEST(TorchWords, numbers_the_only_device_0) {
  EXPECT_EQ(rewritten("cudaSetDevice(x.get_device());"), "cudaSetDevice(x.device().has_index());");
  EXPECT_EQ(rewritten("x->device().index() == 0"), "x->device().has_index() == 0");
  EXPECT_EQ(rewritten("x.index({0}); get_device(); p.get_device(1)"),
            "x.index({0}); get_device(); p.get_device(1)");
}

TEST(TorchWords, registers_operators_for_the_cpu) {
  EXPECT_EQ(rewritten("TORCH_LIBRARY_IMPL(mine, CUDA, m) {}"),
            "TORCH_LIBRARY_IMPL(mine, CPU, m) {}");
}

TEST(TorchWords, answers_for_the_device_in_place_of_the_library) {
  EXPECT_EQ(rewritten("torch::cuda::synchronize();"), "::assay::simt::torch_cuda::synchronize();");
  EXPECT_EQ(rewritten("::torch::cuda::is_available()"),
            "::assay::simt::torch_cuda::is_available()");
}

TEST(TorchWords, leaves_other_uses_of_the_words_alone) {
  for (const std::string_view source :
       {"at::cuda::getCurrentCUDAStream()", "int is_cuda = 1;", "enum { CUDA };",
        "error(\"cuda failed\", \"cuda:x\", \"cuda:\")", "#include <c10/cuda/CUDAGuard.h>\n"}) {
    EXPECT_EQ(rewritten(source), source);
  }
}

}  // namespace
}  // namespace assay::simt
