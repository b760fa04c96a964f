# verdict: accepted
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

KERNEL_SIZE = 3

cuda_source = f"""
#include <torch/extension.h>
#include <cuda_runtime.h>

#define SIZE {KERNEL_SIZE}

namespace {{

struct Shape {{
  int channels, height, width;
}};

__device__ inline float at_or_zero(const float* image, const Shape& shape, int channel, int row, int column) {{
  if (row < 0 || row >= shape.height || column < 0 || column >= shape.width) return 0.0f;
  return image[(channel * shape.height + row) * shape.width + column];
}}

__global__ void conv2d_kernel(const float* x, const float* weight, const float* bias, float* y,
                              Shape in, Shape out, int stride, int padding) {{
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int channel = blockIdx.z % out.channels;
  const int image = blockIdx.z / out.channels;
  if (row >= out.height || column >= out.width) return;
  const float* pixels = x + image * in.channels * in.height * in.width;
  float total = bias ? bias[channel] : 0.0f;
  for (int c = 0; c < in.channels; ++c) {{
#pragma unroll
    for (int i = 0; i < SIZE; ++i) {{
#pragma unroll
      for (int j = 0; j < SIZE; ++j) {{
        total += weight[((channel * in.channels + c) * SIZE + i) * SIZE + j] *
                 at_or_zero(pixels, in, c, row * stride - padding + i, column * stride - padding + j);
      }}
    }}
  }}
  y[((image * out.channels + channel) * out.height + row) * out.width + column] = total;
}}

}}  // namespace

torch::Tensor conv2d(torch::Tensor x, torch::Tensor weight, c10::optional<torch::Tensor> bias,
                     int64_t stride, int64_t padding) {{
  const Shape in{{static_cast<int>(x.size(1)), static_cast<int>(x.size(2)), static_cast<int>(x.size(3))}};
  const Shape out{{static_cast<int>(weight.size(0)),
                  static_cast<int>((in.height + 2 * padding - SIZE) / stride + 1),
                  static_cast<int>((in.width + 2 * padding - SIZE) / stride + 1)}};
  auto y = torch::empty({{x.size(0), out.channels, out.height, out.width}}, x.options());
  const dim3 block(16, 8);
  const dim3 grid((out.width + block.x - 1) / block.x, (out.height + block.y - 1) / block.y,
                  x.size(0) * out.channels);
  conv2d_kernel<<<grid, block>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                                 bias.has_value() ? bias->data_ptr<float>() : nullptr,
                                 y.data_ptr<float>(), in, out, stride, padding);
  return y;
}}
"""

cpp_source = """
torch::Tensor conv2d(torch::Tensor x, torch::Tensor weight, c10::optional<torch::Tensor> bias,
                     int64_t stride, int64_t padding);
"""

conv = load_inline(name=f"conv2d_{KERNEL_SIZE}x{KERNEL_SIZE}", cpp_sources=cpp_source,
                   cuda_sources=cuda_source, functions=["conv2d"], verbose=True)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, bias=True):
        super().__init__()
        assert kernel_size == KERNEL_SIZE
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=bias)

    def forward(self, x):
        layer = self.conv2d
        return conv.conv2d(x.contiguous(), layer.weight, layer.bias, layer.stride[0], layer.padding[0])
