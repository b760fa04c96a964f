#include "trace/analysis/op_class.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::trace {
namespace {

TEST(Glob, fits_the_whole_name_in_either_case) {
  EXPECT_TRUE(glob_match("*GEMM*", "ampere_sgemm_128"));
  EXPECT_TRUE(glob_match("a*b*c", "aXbXbc"));
  EXPECT_FALSE(glob_match("gemm", "sgemm"));
  EXPECT_FALSE(glob_match("a*b", "abc"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_FALSE(glob_match("", "x"));
}

class BuiltInRules : public testing::TestWithParam<std::pair<std::string_view, OpClass>> {};

TEST_P(BuiltInRules, know_the_kernel) {
  const Classified found = OpClassifier().classify(GetParam().first);
  EXPECT_EQ(to_string(found.op), to_string(GetParam().second)) << found.rule;
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, BuiltInRules,
    testing::Values(
        std::pair{"void dot_kernel<double, 128, 0, cublasDotParams<cublasGemvTensorStridedBatched<"
                  "double const>, cublasGemvTensorStridedBatched<double>>>(T4)",
                  OpClass::reduction},
        std::pair{"void reduce_1Block_kernel<double, 128, 7, cublasGemvTensorStridedBatched<double>"
                  ", cublasGemvTensorStridedBatched<double>>(double const*, double, T5, int)",
                  OpClass::reduction},
        std::pair{"void axpy_kernel_val<double, double>(cublasAxpyParamsVal<double>)",
                  OpClass::elementwise},
        std::pair{"Cijk_Alik_Bljk_BBS_BH_Bias_UserArgs_MT256x256x64_MI16x16x1", OpClass::gemm},
        std::pair{"miopenSp3AsmConv_v30_3_1_gfx9_fp16_dot2_edc_f2x3_stride1", OpClass::convolution},
        std::pair{"igemm_wrw_gtcx3_nhwc_fp16_bx0_ex1", OpClass::convolution},
        std::pair{"void scal_kernel<double, double, 1, true>(cublasScalParamsVal<double>)",
                  OpClass::elementwise},
        std::pair{"bmm_E4m3_E4m3E4m3_Fp32_t128x8x512u2_s6_et64x8_m64x8x32", OpClass::gemm},
        std::pair{"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>", OpClass::copy},
        std::pair{"void cuComputeGradInput<float, float>(float const*)", OpClass::norm}));

INSTANTIATE_TEST_SUITE_P(
    Fused, BuiltInRules,
    testing::Values(std::pair{"triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_2", OpClass::norm},
                    std::pair{"triton_per_fused_add_mean_mul_pow_rsqrt_0", OpClass::norm},
                    std::pair{"triton_red_fused_mean_4", OpClass::reduction},
                    std::pair{"triton_tem_fused_convolution_2", OpClass::convolution},
                    std::pair{"triton_poi_fused_clone_1", OpClass::elementwise}));

INSTANTIATE_TEST_SUITE_P(
    Moves, BuiltInRules,
    testing::Values(
        std::pair{"void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel>",
                  OpClass::copy},
        std::pair{"void at::native::vectorized_gather_kernel<16, long>(char*)", OpClass::copy},
        std::pair{"void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long>",
                  OpClass::copy},
        std::pair{"void at::native::_scatter_gather_elementwise_kernel<128, 8>", OpClass::copy},
        std::pair{"void kOptimizer32bit1State<float, 1>(float*)", OpClass::optimizer},
        std::pair{"_fwd_kernel_flash_decode_stage1", OpClass::attention}));

INSTANTIATE_TEST_SUITE_P(
    OpClass, BuiltInRules,
    testing::Values(
        std::pair{"ampere_sgemm_128x64_tn", OpClass::gemm},
        std::pair{"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", OpClass::gemm},
        std::pair{"void cutlass::Kernel2<cutlass_80_tensorop_bf16>(T1::Params)", OpClass::gemm},
        std::pair{"void internal::gemvx::kernel<int, int, __nv_bfloat16>", OpClass::gemm},
        std::pair{"cudnn_ampere_scudnn_128x64_relu_xregs_large_nn_v1", OpClass::convolution},
        std::pair{"void cublasLt::splitKreduce_kernel<32, 16>", OpClass::gemm},
        std::pair{"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128>>", OpClass::attention},
        std::pair{"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64",
                  OpClass::attention},
        std::pair{"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64",
                  OpClass::attention},
        std::pair{"void cudnn::fusion::compute_dot_do_o_specialized<true, 64>(void const*)",
                  OpClass::attention},
        std::pair{"fmha_cutlassF_bf16_aligned_64x64_rf_sm80", OpClass::attention},
        std::pair{"void <unnamed>::softmax_warp_forward<float, float>", OpClass::softmax},
        std::pair{"void at::native::vectorized_layer_norm_kernel<float>", OpClass::norm},
        std::pair{"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>", OpClass::norm},
        std::pair{"void at::native::vectorized_elementwise_kernel<4, MulFunctor<float>>",
                  OpClass::elementwise},
        std::pair{"void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>",
                  OpClass::copy},
        std::pair{"void at::native::CatArrayBatchedCopy_vectorized<4>", OpClass::copy},
        std::pair{"void at::native::reduce_kernel<512, 1, ReduceOp<float, MeanOps>>",
                  OpClass::reduction},
        std::pair{"void at::native::multi_tensor_apply_kernel<FusedAdam>", OpClass::optimizer},
        std::pair{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", OpClass::communication},
        std::pair{"void fft2d_r2c_32x32<float>(cudnn::reduced_divisor)", OpClass::convolution},
        std::pair{"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_nhwckrsc_nchw_tilesize128x128x16",
                  OpClass::convolution},
        std::pair{"void implicit_convolve_sgemm<float, float, 1024, 5, 5>", OpClass::convolution},
        std::pair{"void cudnn::winograd_nonfused::winogradForwardFilter4x4<float>",
                  OpClass::convolution},
        std::pair{"void at::native::conv_depthwise2d_forward_kernel<5>", OpClass::convolution},
        std::pair{"_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionE",
                  OpClass::convolution},
        std::pair{"void cudnn::ops::nchwToNhwcKernel<float>(float const*)", OpClass::copy},
        std::pair{"convert_kernel", OpClass::other},
        std::pair{"ampere_gcgemm_64x64_nt", OpClass::convolution},
        std::pair{"triton_poi_fused_convolution_relu_0", OpClass::elementwise},
        std::pair{"triton_poi_fused__scaled_dot_product_flash_attention_2", OpClass::elementwise},
        std::pair{"triton_poi_fused_mm_t_1", OpClass::elementwise},
        std::pair{"triton_red_fused_all_reduce_sum_3", OpClass::reduction},
        std::pair{"triton_per_fused_native_layer_norm_4", OpClass::norm},
        std::pair{"triton_red_fused__softmax_5", OpClass::softmax},
        std::pair{"triton_tem_fused_addmm_6", OpClass::gemm},
        std::pair{"triton_tem_fused_flex_attention_7", OpClass::attention},
        std::pair{"triton_for_fused_8", OpClass::optimizer}, std::pair{"triton_mm", OpClass::gemm},
        std::pair{"void flashinfer::BatchPrefillWithPagedKVCacheKernel<1>", OpClass::attention},
        std::pair{"fused_moe_kernel", OpClass::gemm},
        std::pair{"void marlin::Marlin<256, 1, 8, 8>", OpClass::gemm},
        std::pair{"void layer_norm::ln_fwd_kernel<layer_norm::Kernel_traits<float>>",
                  OpClass::norm},
        std::pair{"void deep_ep::intranode::dispatch<8, 768>", OpClass::communication},
        std::pair{"void fast_hadamard_transform_kernel<256, 8>", OpClass::other},
        std::pair{"void mul_mat_vec_q<(ggml_type)12, 1>", OpClass::gemm},
        std::pair{"void soft_max_f32<true, 1024, 1024>", OpClass::softmax},
        std::pair{"k_bin_bcast<op_mul>", OpClass::elementwise},
        std::pair{"rope_neox<true>", OpClass::elementwise},
        std::pair{"loop_add_fusion_2", OpClass::elementwise},
        std::pair{"input_reduce_fusion", OpClass::reduction},
        std::pair{"void cub::DeviceSegmentedReduceKernel<int>", OpClass::reduction},
        std::pair{"my_kernel", OpClass::other}));

TEST(OpClassifier, shows_the_rule_that_decided) {
  EXPECT_EQ(OpClassifier().classify("sgemm").rule, "*gemm* (built in)");
}

TEST(OpClassifier, rules_of_a_file_come_first_and_name_their_line) {
  OpClassifier classifier;
  ASSERT_TRUE(classifier.override_with("# ours\n\nnorm  my_*  # a norm\n", "rules.txt"));
  const Classified found = classifier.classify("my_gemm");
  EXPECT_EQ(found.op, OpClass::norm);
  EXPECT_EQ(found.rule, "my_* (rules.txt:3)");
  EXPECT_EQ(classifier.classify("sgemm").op, OpClass::gemm);
}

TEST(OpClassifier, refuses_a_class_it_does_not_know_and_names_the_line) {
  OpClassifier classifier;
  const auto done = classifier.override_with("gemm *a*\nmatmul *b*\n", "rules.txt");
  EXPECT_EQ(done.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(done.error().message().find("rules.txt:2"), std::string::npos);
  EXPECT_FALSE(classifier.override_with("gemm", "rules.txt").has_value()) << "no pattern";
}

}  // namespace
}  // namespace assay::trace
