# verdict: accepted
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TILE = 16

cpp_source = "torch::Tensor tiled_matmul(torch::Tensor A, torch::Tensor B);"
cuda_source = f"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

constexpr int kTile = {TILE};

template <int TILE>
__device__ float dot_of_tiles(const float (&a)[TILE][TILE], const float (&b)[TILE][TILE]) {{
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
  return sum;
}}

template <int TILE>
__global__ void matmul_kernel(const float* __restrict__ A, const float* __restrict__ B,
                              float* __restrict__ C, int M, int N, int K) {{
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int column = blockIdx.x * TILE + threadIdx.x;
  float total = 0.0f;
  for (int start = 0; start < K; start += TILE) {{
    const int ka = start + threadIdx.x;
    const int kb = start + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
    b[threadIdx.y][threadIdx.x] = (kb < K && column < N) ? B[kb * N + column] : 0.0f;
    __syncthreads();
    total += dot_of_tiles<TILE>(a, b);
    __syncthreads();
  }}
  if (row < M && column < N) C[row * N + column] = total;
}}

torch::Tensor tiled_matmul(torch::Tensor A, torch::Tensor B) {{
  const int M = A.size(0), K = A.size(1), N = B.size(1);
  TORCH_CHECK(B.size(0) == K, "inner dimensions differ: ", K, " and ", B.size(0));
  auto C = torch::empty({{M, N}}, A.options());
  const dim3 block(kTile, kTile);
  const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  matmul_kernel<kTile><<<grid, block>>>(A.data_ptr<float>(), B.data_ptr<float>(),
                                        C.data_ptr<float>(), M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return C;
}}
"""

matmul = load_inline(name="tiled_matmul", cpp_sources=cpp_source, cuda_sources=cuda_source,
                     functions=["tiled_matmul"], extra_cuda_cflags=["-O3", "--use_fast_math"])


class ModelNew(nn.Module):
    def forward(self, A, B):
        return matmul.tiled_matmul(A.contiguous().cuda(), B.contiguous().cuda())
