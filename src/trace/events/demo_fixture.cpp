#include "trace/events/demo_fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/events/nsys_fixture.hpp"

namespace assay::trace {
namespace {

constexpr std::int64_t kMicro = 1000;
constexpr std::uint64_t kMain = 4242;
constexpr std::uint64_t kAutograd = 4250;
constexpr std::int64_t kComputeStream = 7;
constexpr std::int64_t kCommStream = 20;

constexpr std::string_view kGemm = "ampere_sgemm_128x64_tn";
constexpr std::string_view kGemmBackward = "ampere_sgemm_128x64_nn";
constexpr std::string_view kSoftmax =
    "void at::native::<unnamed>::softmax_warp_forward<float, float, float, (int)9, (bool)0>(T2 *, "
    "const T1 *, int, int, int)";
constexpr std::string_view kSoftmaxBackward =
    "void at::native::<unnamed>::softmax_warp_backward<float, float, float, (int)9, (bool)0>(T2 *, "
    "const T1 *, int, int, int)";
constexpr std::string_view kNorm =
    "void at::native::<unnamed>::vectorized_layer_norm_kernel<float, float>(int, T2, const T1 *)";
constexpr std::string_view kGelu =
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::GeluCUDAKernelImpl, "
    "std::array<char *, (unsigned long)2>>(int, T2, T3)";
constexpr std::string_view kFlash =
    "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)64, (int)128, (int)128, "
    "(int)4>>(Flash_fwd_params)";
constexpr std::string_view kAdam =
    "void at::native::<unnamed>::multi_tensor_apply_kernel<TensorListMetadata<(int)4>, "
    "FusedAdamMathFunctor<float, (int)4>>(T1, T2, T3)";
constexpr std::string_view kAllReduce =
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)";

/// The host's clock and each stream's, moved on by what is recorded.
class Player {
 public:
  Player(NsysFixture& fixture, const DemoOptions& options) : fixture_(fixture), options_(options) {}

  void play() {
    fixture_.gpu(0, "NVIDIA H100 80GB HBM3");
    fixture_.command({"python", "train.py", "--steps", std::to_string(options_.steps)});
    for (int i = 0; i < options_.steps; ++i) step(i);
  }

 private:
  void step(int index) {
    host_ += 200 * kMicro;  // the data loader
    const std::int64_t start = host_;
    copy();
    forward();
    if (options_.training) {
      backward();
      const std::int64_t began = host_;
      launch(kAdam, 30 * kMicro, kMain);
      synchronise();
      fixture_.range(
          {.start = began, .end = host_, .name = "optimizer", .pid = kMain, .tid = kMain});
    }
    fixture_.range({.start = start,
                    .end = host_,
                    .name = "step " + std::to_string(index),
                    .pid = kMain,
                    .tid = kMain});
  }

  void copy() {
    const std::uint32_t correlation = next_++;
    fixture_.call({.start = host_,
                   .end = host_ + 4 * kMicro,
                   .name = "cudaMemcpyAsync_v3020",
                   .correlation = correlation,
                   .pid = kMain,
                   .tid = kMain});
    host_ += 4 * kMicro;
    const std::int64_t start = std::max(host_ + 2 * kMicro, stream_);
    fixture_.copy({.start = start,
                   .end = start + 160 * kMicro,
                   .bytes = 4'194'304,
                   .kind = 1,
                   .correlation = correlation,
                   .stream = kComputeStream,
                   .pid = kMain});
    stream_ = start + 160 * kMicro;
  }

  void forward() {
    const std::int64_t start = host_;
    for (int layer = 0; layer < 2; ++layer) {
      launch(kNorm, 6 * kMicro, kMain);
      attention();
      launch(kGemm, gemm(40), kMain);
      launch(kGelu, 8 * kMicro, kMain);
    }
    synchronise();
    range("forward", start);
  }

  void attention() {
    const std::int64_t start = host_;
    if (options_.fused_attention) {
      launch(kFlash, 25 * kMicro, kMain);
    } else {
      std::int64_t part = host_;
      launch(kGemm, gemm(20), kMain);
      range("computing attention scores", part);
      part = host_;
      launch(kSoftmax, 15 * kMicro, kMain);
      range("computing softmax", part);
      part = host_;
      launch(kGemm, gemm(20), kMain);
      range("final matmul", part);
    }
    range("scaled_dot_product_attention", start);
  }

  void backward() {
    const std::int64_t start = host_;
    for (int layer = 0; layer < 2; ++layer) {
      launch(kGemmBackward, gemm(45), kAutograd);
      launch(kSoftmaxBackward, 18 * kMicro, kAutograd);
      launch(kGemmBackward, gemm(45), kAutograd);
    }
    communicate();
    launch(kGelu, 8 * kMicro, kAutograd);
    synchronise();
    range("backward", start);
  }

  void communicate() {
    const std::int64_t start = stream_ - 40 * kMicro;  // beside the last of the gradients
    fixture_.launch({.call_start = host_,
                     .call_end = host_ + 3 * kMicro,
                     .start = std::max(start, host_ + 4 * kMicro),
                     .end = std::max(start, host_ + 4 * kMicro) + 60 * kMicro,
                     .name = std::string(kAllReduce),
                     .stream = kCommStream,
                     .pid = kMain,
                     .tid = kAutograd});
    host_ += 3 * kMicro;
  }

  void launch(std::string_view name, std::int64_t duration, std::uint64_t tid) {
    const std::int64_t start = std::max(host_ + 5 * kMicro, stream_ + kMicro);
    fixture_.launch({.call_start = host_,
                     .call_end = host_ + 3 * kMicro,
                     .start = start,
                     .end = start + duration,
                     .name = std::string(name),
                     .stream = kComputeStream,
                     .pid = kMain,
                     .tid = tid});
    stream_ = start + duration;
    host_ += 8 * kMicro;
  }

  void synchronise() {
    const std::int64_t end = std::max(host_, stream_) + 2 * kMicro;
    fixture_.call({.start = host_,
                   .end = end,
                   .name = "cudaStreamSynchronize_v3020",
                   .correlation = next_++,
                   .pid = kMain,
                   .tid = kMain});
    host_ = end;
  }

  void range(std::string_view name, std::int64_t start) {
    fixture_.range(
        {.start = start, .end = host_, .name = std::string(name), .pid = kMain, .tid = kMain});
  }

  [[nodiscard]] std::int64_t gemm(double micros) const {
    return static_cast<std::int64_t>(micros * options_.gemm_scale * static_cast<double>(kMicro));
  }

  NsysFixture& fixture_;
  const DemoOptions& options_;
  std::int64_t host_ = 0;
  std::int64_t stream_ = 0;  // when the compute stream is done
  std::uint32_t next_ = 1;
};

}  // namespace

void add_demo(NsysFixture& fixture, const DemoOptions& options) {
  Player(fixture, options).play();
}

std::string_view demo_kineto() {
  return R"json({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "totalGlobalMem": 42297524224, "numSms": 108}],
  "traceEvents": [
    {"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "ts": 1000000.000, "args": {"name": "python"}},
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 10, "tid": 10, "ts": 1000000.000, "dur": 500.000},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 10, "tid": 10, "ts": 1000010.000, "dur": 40.500, "args": {"External id": 3}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 10, "ts": 1000020.000, "dur": 5.250, "args": {"correlation": 7}},
    {"ph": "X", "cat": "kernel", "name": "void gemm<float>(float*)", "pid": 0, "tid": 7, "ts": 1000030.125, "dur": 100.375, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 7, "grid": [64, 2, 1], "block": [128, 1, 1]}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 10, "tid": 10, "ts": 1000060.000, "dur": 4.000, "args": {"correlation": 8}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 1000140.000, "dur": 12.000, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 8, "bytes": 4096}},
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 10, "tid": 10, "ts": 1000600.000, "dur": 450.000},
    {"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "pid": 10, "tid": 11, "ts": 1000620.000, "dur": 6.000, "args": {"correlation": 9}},
    {"ph": "X", "cat": "kernel", "name": "triton_poi_fused_add_0", "pid": 0, "tid": 7, "ts": 1000640.000, "dur": 20.000, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 9, "grid": [1, 1, 1], "block": [64, 1, 1]}},
    {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 1000700.000, "dur": 2.000, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 12, "bytes": 256}},
    {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#2", "pid": 0, "tid": 7, "ts": 1000640.000, "dur": 62.000},
    {"ph": "s", "id": 7, "cat": "ac2g", "name": "ac2g", "pid": 10, "tid": 10, "ts": 1000020.000}
  ],
  "baseTimeNanoseconds": 1711964646000000000
})json";
}

}  // namespace assay::trace
