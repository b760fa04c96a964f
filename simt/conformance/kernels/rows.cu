// Operations on the rows of a matrix as neural networks use them.
#include <cuda_fp16.h>

#include "../conformance.hpp"

using conformance::Buffer;

constexpr unsigned kAll = 0xffffffffu;

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kAll, value, offset);
  return value;
}

__device__ float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAll, value, offset));
  }
  return value;
}

// Three passes over a row by one block: maximum, sum, quotient.
__global__ void softmax_three_passes(const float* in, float* out, int columns) {
  extern __shared__ float scratch[];
  const float* const row = in + static_cast<long long>(blockIdx.x) * columns;
  const int t = threadIdx.x, n = blockDim.x;
  float most = -INFINITY;
  for (int i = t; i < columns; i += n) most = fmaxf(most, row[i]);
  scratch[t] = most;
  __syncthreads();
  for (int stride = n / 2; stride > 0; stride /= 2) {
    if (t < stride) scratch[t] = fmaxf(scratch[t], scratch[t + stride]);
    __syncthreads();
  }
  most = scratch[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < columns; i += n) sum += expf(row[i] - most);
  scratch[t] = sum;
  __syncthreads();
  for (int stride = n / 2; stride > 0; stride /= 2) {
    if (t < stride) scratch[t] += scratch[t + stride];
    __syncthreads();
  }
  for (int i = t; i < columns; i += n) {
    out[static_cast<long long>(blockIdx.x) * columns + i] = expf(row[i] - most) / scratch[0];
  }
}

// One pass finds maximum and sum together: a new maximum rescales the sum so far.
__global__ void softmax_online(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* const from = in + static_cast<long long>(row) * columns;
  float most = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += 32) {
    const float next = fmaxf(most, from[i]);
    sum = sum * expf(most - next) + expf(from[i] - next);
    most = next;
  }
  const float whole = warp_max(most);
  sum = warp_sum(most == -INFINITY ? 0.0f : sum * expf(most - whole));
  for (int i = lane; i < columns; i += 32) {
    out[static_cast<long long>(row) * columns + i] = expf(from[i] - whole) / sum;
  }
}

static std::vector<double> softmax(const std::vector<float>& in, int columns) {
  std::vector<double> out(in.size());
  for (std::size_t first = 0; first < in.size(); first += columns) {
    double most = in[first], sum = 0;
    for (int i = 0; i < columns; ++i) most = std::fmax(most, in[first + i]);
    for (int i = 0; i < columns; ++i) sum += std::exp(in[first + i] - most);
    for (int i = 0; i < columns; ++i) out[first + i] = std::exp(in[first + i] - most) / sum;
  }
  return out;
}

CASE(softmax_in_three_passes) {
  constexpr int kRows = 12, kColumns = 301;
  const std::vector<float> values = conformance::random_floats(kRows * kColumns, -30, 30, 60);
  const std::vector<double> want = softmax(values, kColumns);
  Buffer<float> in(values), out(values.size());
  softmax_three_passes<<<kRows, 128, 128 * sizeof(float)>>>(in.ptr(), out.ptr(), kColumns);
  EXPECT_NEAR(out, 1e-9, 3e-5, [&](std::size_t i) { return want[i]; });
}

CASE(softmax_in_one_pass) {
  constexpr int kRows = 10;
  for (const int columns : {20, 200}) {  // fewer columns than lanes, and more
    const std::vector<float> values = conformance::random_floats(kRows * columns, -50, 50, 61);
    const std::vector<double> want = softmax(values, columns);
    Buffer<float> in(values), out(values.size());
    softmax_online<<<3, 128>>>(in.ptr(), out.ptr(), kRows, columns);
    EXPECT_NEAR(out, 1e-9, 3e-5, [&](std::size_t i) { return want[i]; });
  }
}

__global__ void layer_norm(const float* in, const float* weight, const float* bias, float* out,
                           int columns, float epsilon) {
  __shared__ float parts[2][32];
  const float* const row = in + static_cast<long long>(blockIdx.x) * columns;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i];
  sum = warp_sum(sum);
  if (lane == 0) parts[0][warp] = sum;
  __syncthreads();
  const float mean = warp_sum(lane < warps ? parts[0][lane] : 0.0f) / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    squares += (row[i] - mean) * (row[i] - mean);
  }
  squares = warp_sum(squares);
  if (lane == 0) parts[1][warp] = squares;
  __syncthreads();
  const float variance = warp_sum(lane < warps ? parts[1][lane] : 0.0f) / columns;
  const float scale = rsqrtf(variance + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[static_cast<long long>(blockIdx.x) * columns + i] =
        (row[i] - mean) * scale * weight[i] + bias[i];
  }
}

CASE(layer_normalisation) {
  constexpr int kRows = 8, kColumns = 500;
  const std::vector<float> x = conformance::random_floats(kRows * kColumns, 3, 9, 62);
  const std::vector<float> w = conformance::random_floats(kColumns, 0.5, 1.5, 63);
  const std::vector<float> b = conformance::random_floats(kColumns, -1, 1, 64);
  Buffer<float> in(x), weight(w), bias(b), out(x.size());
  layer_norm<<<kRows, 128>>>(in.ptr(), weight.ptr(), bias.ptr(), out.ptr(), kColumns, 1e-5f);
  EXPECT_NEAR(out, 2e-5, 1e-5, [&](std::size_t at) {
    const std::size_t first = at / kColumns * kColumns;
    double mean = 0, variance = 0;
    for (int i = 0; i < kColumns; ++i) mean += x[first + i] / static_cast<double>(kColumns);
    for (int i = 0; i < kColumns; ++i) {
      variance += (x[first + i] - mean) * (x[first + i] - mean) / kColumns;
    }
    return (x[at] - mean) / std::sqrt(variance + 1e-5) * w[at - first] + b[at - first];
  });
}

// Half-precision data, single-precision sums, two elements per load.
__global__ void rms_norm_half(const __half2* in, const __half2* weight, __half2* out, int pairs,
                              float epsilon) {
  const __half2* const row = in + static_cast<long long>(blockIdx.x) * pairs;
  float squares = 0;
  for (int i = threadIdx.x; i < pairs; i += 32) {
    const float2 v = __half22float2(row[i]);
    squares += v.x * v.x + v.y * v.y;
  }
  const float scale = rsqrtf(warp_sum(squares) / (2 * pairs) + epsilon);
  for (int i = threadIdx.x; i < pairs; i += 32) {
    const float2 v = __half22float2(row[i]), w = __half22float2(weight[i]);
    out[static_cast<long long>(blockIdx.x) * pairs + i] =
        __floats2half2_rn(v.x * scale * w.x, v.y * scale * w.y);
  }
}

CASE(rms_normalisation_in_half_precision) {
  constexpr int kRows = 6, kColumns = 256;
  std::vector<__half> x, w;
  for (const float v : conformance::random_floats(kRows * kColumns, -4, 4, 65))
    x.push_back(__float2half(v));
  for (const float v : conformance::random_floats(kColumns, 0.5, 2, 66))
    w.push_back(__float2half(v));
  Buffer<__half> in(x), weight(w), out(x.size());
  rms_norm_half<<<kRows, 32>>>(reinterpret_cast<const __half2*>(in.ptr()),
                               reinterpret_cast<const __half2*>(weight.ptr()),
                               reinterpret_cast<__half2*>(out.ptr()), kColumns / 2, 1e-6f);
  std::vector<double> got;
  for (const __half value : out.host()) got.push_back(__half2float(value));
  // Half an ulp of the result from the last rounding: 2^-11 relative, and a little for the rest.
  EXPECT_NEAR(got, 1e-6, 0x1p-10, [&](std::size_t at) {
    const std::size_t first = at / kColumns * kColumns;
    double squares = 0;
    for (int i = 0; i < kColumns; ++i) {
      const double v = __half2float(x[first + i]);
      squares += v * v / kColumns;
    }
    return __half2float(x[at]) / std::sqrt(squares + 1e-6) * __half2float(w[at - first]);
  });
}

__global__ void cross_entropy(const float* logits, const int* labels, float* loss, int columns) {
  const float* const row = logits + static_cast<long long>(blockIdx.x) * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) most = fmaxf(most, row[i]);
  most = warp_max(most);
  for (int i = threadIdx.x; i < columns; i += 32) sum += expf(row[i] - most);
  sum = warp_sum(sum);
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) + most - row[labels[blockIdx.x]];
}

CASE(cross_entropy_of_rows) {
  constexpr int kRows = 20, kColumns = 100;
  const std::vector<float> x = conformance::random_floats(kRows * kColumns, -10, 10, 67);
  const std::vector<int> y = conformance::random_ints(kRows, kColumns, 68);
  Buffer<float> logits(x), loss(kRows);
  Buffer<int> labels(y);
  cross_entropy<<<kRows, 32>>>(logits.ptr(), labels.ptr(), loss.ptr(), kColumns);
  EXPECT_NEAR(loss, 1e-5, 1e-5, [&](std::size_t row) {
    double sum = 0;
    for (int i = 0; i < kColumns; ++i) sum += std::exp(static_cast<double>(x[row * kColumns + i]));
    return std::log(sum) - x[row * kColumns + y[row]];
  });
}

__global__ void activations(const float* in, float* gelu, float* silu, float* relu, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  gelu[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f));
  silu[i] = x / (1.0f + expf(-x));
  relu[i] = fmaxf(x, 0.0f);
}

CASE(activation_functions) {
  const std::vector<float> x = conformance::random_floats(1000, -8, 8, 69);
  Buffer<float> in(x), gelu(1000), silu(1000), relu(1000);
  activations<<<4, 256>>>(in.ptr(), gelu.ptr(), silu.ptr(), relu.ptr(), 1000);
  EXPECT_NEAR(gelu, 1e-6, 1e-5,
              [&](std::size_t i) { return 0.5 * x[i] * (1 + std::erf(x[i] / std::sqrt(2.0))); });
  EXPECT_NEAR(silu, 1e-6, 1e-5,
              [&](std::size_t i) { return x[i] / (1 + std::exp(-static_cast<double>(x[i]))); });
  EXPECT_EACH(relu, [&](std::size_t i) { return x[i] > 0 ? x[i] : 0.0f; });
}
