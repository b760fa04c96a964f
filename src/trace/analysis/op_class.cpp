#include "trace/analysis/op_class.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "model/names.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

// In order: the first that fits decides. What is specific comes before what is general, so that
// a softmax written as an elementwise kernel is a softmax, and a cast written as one is a copy.
// What torch.compile makes comes first of all: it names a kernel for every operator around it, so
// that "triton_poi_fused_convolution_relu" is the pointwise end of a convolution, not one. Only its
// templates (tem) multiply matrices. cuBLAS names its vectors' operations with types that say gemv.
constexpr std::string_view kBuiltIn = R"(
attention     *triton_tem_*attention*
convolution   *triton_tem_*convolution*
gemm          *triton_tem_*
softmax       *triton_poi_*softmax*
softmax       *triton_red_*softmax*
softmax       *triton_per_*softmax*
norm          *triton_poi_*_norm*
norm          *triton_red_*_norm*
norm          *triton_per_*_norm*
norm          *triton_red_*_mean_*rsqrt*
norm          *triton_per_*_mean_*rsqrt*
norm          *triton_red_*_var_mean*
norm          *triton_per_*_var_mean*
elementwise   *triton_poi_*
reduction     *triton_red_*
reduction     *triton_per_*
optimizer     *triton_for_*
communication *nccl*
communication *nvshmem*
communication *allreduce*
communication *all_reduce*
communication *allgather*
communication *all_gather*
communication *reduce_scatter*
communication *reducescatter*
communication *cross_device_reduce*
communication *alltoall*
communication *all_to_all*
communication *sendrecv*
communication *deep_ep*
other         *hadamard*
optimizer     *adam*
optimizer     *multi_tensor_apply*
optimizer     *fusedoptimizer*
optimizer     *sgd_kernel*
optimizer     *koptimizer*
optimizer     *lamb_*stage*
attention     *flash_fwd*
attention     *flash_bwd*
attention     *flash_decod*
attention     *flash::*
attention     *fmha*
attention     *sdpa*
attention     *batchprefillwith*
attention     *batchdecodewith*
attention     *singleprefillwith*
attention     *singledecodewith*
attention     *compute_dot_do_o*
attention     *convert_dq_to_16bits*
attention     *attention*
attention     *attn*
softmax       *softmax*
softmax       *soft_max*
norm          *layer_norm*
norm          *layernorm*
norm          *rms_norm*
norm          *rmsnorm*
norm          *batch_norm*
norm          *batchnorm*
norm          *group_norm*
norm          *groupnorm*
norm          *ln_fwd_*
norm          *ln_bwd_*
norm          *rowwisemoments*
norm          *gammabetabackward*
norm          *bn_fw*
norm          *bn_bw*
norm          *cucomputegrad*
norm          *cucomputepartgrad*
copy          *reshape_and_cache*
copy          *nchwtonhwc*
copy          *nhwctonchw*
convolution   *convolve*
convolution   *convolution*
convolution   *conv1d*
convolution   *conv2d*
convolution   *conv3d*
convolution   *conv_*
convolution   *_conv
convolution   *winograd*
convolution   *wgrad*
convolution   *dgrad*
convolution   *fprop*
convolution   *scudnn*
convolution   *hcudnn*
convolution   *884cudnn*
convolution   *1688cudnn*
convolution   *16816cudnn*
convolution   *cudnn::cnn*
convolution   *cudnn*kernel*implicit*
convolution   miopen*conv*
convolution   igemm_fwd_*
convolution   igemm_bwd_*
convolution   igemm_wrw_*
convolution   *implicit_gemm*
convolution   *implicitgemm*
convolution   *im2col*
convolution   *col2im*
convolution   *depthwise*
convolution   *fft2d_*
convolution   *gcgemm*
convolution   *flip_filter*
convolution   *computeoffsets*
reduction     *dot_kernel<*
reduction     *reduce_1block_kernel*
reduction     *nrm2_kernel*
reduction     *asum_kernel*
elementwise   *axpy_kernel*
elementwise   *scal_kernel*
copy          *copy_kernel*cublas*
gemm          *gemm*
gemm          *gemv*
gemm          cijk_*
gemm          bmm_*
gemm          *matmul*
gemm          *mul_mat*
gemm          *nvjet*
gemm          *xmma*
gemm          *cutlass*kernel*
gemm          *splitkreduce*
gemm          *cublas*
gemm          *fused_moe_kernel*
gemm          *marlin*
gemm          *triton_mm*
gemm          *triton_*_mm_*
copy          *direct_copy_kernel*
copy          *copy_kernel*
copy          *catarray*
copy          *memcpy*
copy          *index_elementwise_kernel*
copy          *indexselect*
copy          *gather_kernel*
copy          *scatter_kernel*
copy          *scatter_gather*
copy          *transpose*
elementwise   *fill*functor*
reduction     *reduce_kernel*
reduction     *devicereduce*
reduction     *device_reduce*
reduction     *segmentedreduce*
reduction     *reduce_1block*
reduction     *dot_kernel*
elementwise   *elementwise*
elementwise   *pointwise*
elementwise   *dropout*
elementwise   *gelu*
elementwise   *silu*
elementwise   *relu*
elementwise   *rotary*
elementwise   *rope_*
elementwise   *bin_bcast*
elementwise   *loop_*fusion*
other         *fft*
reduction     *_reduce*
reduction     *reduce_*
reduction     *reduction*
copy          *copy*
other         *
)";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

Result<std::optional<OpRule>> parse_line(std::string_view line, std::string origin) {
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty()) return std::nullopt;
  const std::size_t blank = line.find_first_of(" \t");
  const auto op = value_in(kOpClassNames, line.substr(0, blank));
  if (!op) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: '{}' is no operation class", origin, line.substr(0, blank)));
  }
  if (blank == std::string_view::npos) {
    return fail(ErrorCode::invalid_argument, fmt::format("{}: no pattern after the class", origin));
  }
  return OpRule{
      .op = *op, .pattern = std::string(trimmed(line.substr(blank))), .origin = std::move(origin)};
}

Result<std::vector<OpRule>> parse_rules(std::string_view text, std::string_view file) {
  std::vector<OpRule> rules;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::string origin = file.empty() ? "built in" : fmt::format("{}:{}", file, number);
    ASSAY_TRY(auto rule, parse_line(line, std::move(origin)));
    if (rule) rules.push_back(*std::move(rule));
  }
  return rules;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  // Where to resume when the text after the last `*` turns out not to fit.
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && lower(pattern[p]) == lower(name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

OpClassifier::OpClassifier() {
  // Cannot fail: a test parses it.
  if (auto rules = parse_rules(kBuiltIn, "")) rules_ = *std::move(rules);
}

Result<void> OpClassifier::override_with(std::string_view text, std::string_view file) {
  ASSAY_TRY(std::vector<OpRule> rules, parse_rules(text, file));
  rules.insert(rules.end(), std::make_move_iterator(rules_.begin()),
               std::make_move_iterator(rules_.end()));
  rules_ = std::move(rules);
  return {};
}

Classified OpClassifier::classify(std::string_view kernel_name) const {
  for (const OpRule& rule : rules_) {
    if (glob_match(rule.pattern, kernel_name)) {
      return {.op = rule.op, .rule = fmt::format("{} ({})", rule.pattern, rule.origin)};
    }
  }
  return {.op = OpClass::other, .rule = "no rule fits"};
}

std::vector<Classified> classify_functions(const Trace& trace, const OpClassifier& classifier) {
  std::vector<Classified> classes;
  classes.reserve(trace.functions.size());
  for (std::uint32_t function = 0; function < trace.functions.size(); ++function) {
    classes.push_back(classifier.classify(trace.function_name(function)));
  }
  return classes;
}

}  // namespace assay::trace
