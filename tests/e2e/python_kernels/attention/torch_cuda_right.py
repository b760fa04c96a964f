# verdict: accepted
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <limits>

// Three kernels, one after the other on one stream.

__global__ void scores_kernel(const float* q, const float* k, float* scores, int length, int width,
                              float scale) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  const int head = blockIdx.z;
  if (column >= length) return;
  float dot = 0.0f;
  for (int d = 0; d < width; ++d) {
    dot += q[(head * length + row) * width + d] * k[(head * length + column) * width + d];
  }
  scores[(head * length + row) * length + column] =
      column <= row ? dot * scale : -std::numeric_limits<float>::infinity();
}

__global__ void softmax_kernel(float* scores, int rows, int length) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;  // a warp each
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float* in = scores + row * length;
  float largest = -std::numeric_limits<float>::infinity();
  for (int c = lane; c < length; c += 32) largest = fmaxf(largest, in[c]);
  for (int mask = 16; mask > 0; mask >>= 1) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, mask));
  }
  float sum = 0.0f;
  for (int c = lane; c < length; c += 32) {
    in[c] = __expf(in[c] - largest);
    sum += in[c];
  }
  for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
  for (int c = lane; c < length; c += 32) in[c] /= sum;
}

__global__ void values_kernel(const float* scores, const float* v, float* out, int length, int width) {
  const int d = threadIdx.x;
  const int row = blockIdx.x;
  const int head = blockIdx.y;
  float total = 0.0f;
  for (int c = 0; c <= row; ++c) {
    total += scores[(head * length + row) * length + c] * v[(head * length + c) * width + d];
  }
  out[(head * length + row) * width + d] = total;
}

torch::Tensor causal_attention(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  const at::cuda::OptionalCUDAGuard guard(at::device_of(q));
  const int heads = q.size(0) * q.size(1), length = q.size(2), width = q.size(3);
  auto scores = torch::empty({heads, length, length}, q.options());
  auto out = torch::empty_like(q);
  auto stream = at::cuda::getCurrentCUDAStream();
  const dim3 grid((length + 63) / 64, length, heads);
  scores_kernel<<<grid, 64, 0, stream>>>(q.data_ptr<float>(), k.data_ptr<float>(),
                                         scores.data_ptr<float>(), length, width,
                                         1.0f / std::sqrt(static_cast<float>(width)));
  const int rows = heads * length;
  softmax_kernel<<<(rows + 3) / 4, 128, 0, stream>>>(scores.data_ptr<float>(), rows, length);
  values_kernel<<<dim3(length, heads), width, 0, stream>>>(
      scores.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), length, width);
  AT_CUDA_CHECK(cudaGetLastError());
  return out;
}
"""

cpp_source = "torch::Tensor causal_attention(torch::Tensor q, torch::Tensor k, torch::Tensor v);"

attention = load_inline(name="causal_attention", cpp_sources=[cpp_source], cuda_sources=[cuda_source],
                        functions=["causal_attention"], extra_cuda_cflags=["-O2"])


class ModelNew(nn.Module):
    def forward(self, Q, K, V):
        return attention.causal_attention(Q.contiguous(), K.contiguous(), V.contiguous())
