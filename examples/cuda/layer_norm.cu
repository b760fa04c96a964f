// One block per row; each thread keeps its elements in registers between the passes.
constexpr int kThreads = 128, kMost = 8;

__device__ float block_sum(float value) {
  __shared__ float parts[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < kThreads / 32; ++i) sum += parts[i];
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    layer_norm(const float* __restrict__ in, const float* __restrict__ weight,
               const float* __restrict__ bias, float* __restrict__ out, int rows, int columns,
               float epsilon) {
  const float* const from = in + blockIdx.x * columns;
  float mine[kMost], sum = 0.0f, squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kMost; ++k) {
    const int i = threadIdx.x + k * kThreads;
    mine[k] = i < columns ? from[i] : 0.0f;
    sum += mine[k];
  }
  const float mean = block_sum(sum) / columns;
#pragma unroll
  for (int k = 0; k < kMost; ++k) {
    const float off = threadIdx.x + k * kThreads < columns ? mine[k] - mean : 0.0f;
    squares += off * off;
  }
  const float scale = rsqrtf(block_sum(squares) / columns + epsilon);
#pragma unroll
  for (int k = 0; k < kMost; ++k) {
    const int i = threadIdx.x + k * kThreads;
    if (i < columns) out[blockIdx.x * columns + i] = (mine[k] - mean) * scale * weight[i] + bias[i];
  }
}
