# verdict: wrong_answer
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void layer_norm_kernel(const float* x, const float* weight, const float* bias, float* y,
                                  int width, float eps) {
  const float* in = x + blockIdx.x * width;
  float sum = 0.0f, squares = 0.0f;
  for (int i = 0; i < width; ++i) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  const float mean = sum / width;
  const float scale = rsqrtf(squares / width + eps);  // the mean's square is still in it
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    y[blockIdx.x * width + i] = (in[i] - mean) * scale * weight[i] + bias[i];
  }
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  auto y = torch::empty_like(x);
  const int width = weight.numel();
  layer_norm_kernel<<<x.numel() / width, 128>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                                               bias.data_ptr<float>(), y.data_ptr<float>(), width,
                                               1e-5f);
  return y;
}
"""
norm = load_inline(
    name="layer_norm_wrong", cuda_sources=cuda_source, functions=["layer_norm"],
    cpp_sources="torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);")


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return norm.layer_norm(x, self.ln.weight, self.ln.bias)
