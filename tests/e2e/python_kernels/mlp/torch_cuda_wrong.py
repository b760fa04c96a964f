# verdict: wrong_answer
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

linear_source = """
#include <torch/extension.h>

enum class Activation { none, relu };

template <Activation kActivation>
__global__ void linear_kernel(const float* x, const float* weight, const float* bias, float* y,
                              int rows, int inputs, int outputs) {
  const int output = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || output >= outputs) return;
  float total = bias[output];
  for (int i = 0; i < inputs; ++i) total = fmaf(x[row * inputs + i], weight[i * outputs + output], total);
  if constexpr (kActivation == Activation::relu) total = total > 0.0f ? total : 0.0f;
  y[row * outputs + output] = total;
}

template <Activation kActivation>
torch::Tensor launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const int rows = x.size(0), inputs = x.size(1), outputs = weight.size(0);
  auto y = torch::empty({rows, outputs}, x.options());
  const dim3 block(32, 4);
  const dim3 grid((outputs + 31) / 32, (rows + 3) / 4);
  linear_kernel<kActivation><<<grid, block>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                                              bias.data_ptr<float>(), y.data_ptr<float>(), rows,
                                              inputs, outputs);
  return y;
}

torch::Tensor linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  return launch<Activation::none>(x, weight, bias);
}

torch::Tensor linear_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  return launch<Activation::relu>(x, weight, bias);
}
"""

cpp_source = """
torch::Tensor linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);
torch::Tensor linear_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);
"""

fused = load_inline(name="fused_linear_wrong", cpp_sources=cpp_source, cuda_sources=linear_source,
                    functions=["linear", "linear_relu"], extra_cuda_cflags=["-std=c++17"])


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        sizes = [input_size, *hidden_layer_sizes, output_size]
        layers = []
        for narrow, wide in zip(sizes, sizes[1:]):
            layers += [nn.Linear(narrow, wide), nn.ReLU()]
        self.network = nn.Sequential(*layers[:-1])

    def forward(self, x):
        layers = [layer for layer in self.network if isinstance(layer, nn.Linear)]
        for layer in layers[:-1]:
            x = fused.linear_relu(x, layer.weight, layer.bias)
        return fused.linear(x, layers[-1].weight, layers[-1].bias)
