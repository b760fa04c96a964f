# verdict: wrong_answer
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float total = 0.0f;
  for (int k = 0; k < K - K % 16; ++k) total += A[row * K + k] * B[k * N + column];
  C[row * N + column] = total;
}

torch::Tensor matmul(torch::Tensor A, torch::Tensor B) {
  auto C = torch::empty({A.size(0), B.size(1)}, A.options());
  dim3 block(16, 16);
  dim3 grid((B.size(1) + 15) / 16, (A.size(0) + 15) / 16);
  matmul_kernel<<<grid, block>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                 A.size(0), B.size(1), A.size(1));
  return C;
}
"""
module = load_inline(name="matmul_wrong", cuda_sources=[cuda_source],
                     cpp_sources=["torch::Tensor matmul(torch::Tensor A, torch::Tensor B);"],
                     functions=["matmul"])


class ModelNew(nn.Module):
    def forward(self, A, B):
        return module.matmul(A, B)
