# verdict: wrong_answer
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void conv2d_kernel(const float* x, const float* weight, const float* bias, float* y,
                              int images, int channels, int height, int width, int out_channels,
                              int out_height, int out_width, int stride, int padding) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= images * out_channels * out_height * out_width) return;
  int column = index % out_width;
  int row = index / out_width % out_height;
  int channel = index / out_width / out_height % out_channels;
  int image = index / out_width / out_height / out_channels;
  float total = bias[channel];
  for (int c = 0; c < channels; ++c)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        int r = row * stride - padding + i, s = column * stride - padding + j;
        if (r < 0 || r >= height || s < 0 || s >= width) continue;
        total += weight[((channel * channels + c) * 3 + j) * 3 + i] *  // i and j the wrong way round
                 x[((image * channels + c) * height + r) * width + s];
      }
  y[index] = total;
}

torch::Tensor conv2d(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int stride, int padding) {
  int out_height = (x.size(2) + 2 * padding - 3) / stride + 1;
  int out_width = (x.size(3) + 2 * padding - 3) / stride + 1;
  auto y = torch::empty({x.size(0), weight.size(0), out_height, out_width}, x.options());
  int count = y.numel();
  conv2d_kernel<<<(count + 127) / 128, 128>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(),
      x.size(0), x.size(1), x.size(2), x.size(3), weight.size(0), out_height, out_width, stride, padding);
  return y;
}
"""
conv = load_inline(
    name="conv2d_wrong", cuda_sources=cuda_source, functions=["conv2d"],
    cpp_sources="torch::Tensor conv2d(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int stride, int padding);")


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, bias=True):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=bias)

    def forward(self, x):
        layer = self.conv2d
        return conv.conv2d(x, layer.weight, layer.bias, layer.stride[0], layer.padding[0])
