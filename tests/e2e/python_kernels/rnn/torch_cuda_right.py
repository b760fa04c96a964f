# verdict: accepted
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <tuple>

using Matrix = torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits>;
using Sequence = torch::PackedTensorAccessor32<float, 3, torch::RestrictPtrTraits>;

__global__ void step_kernel(const Sequence x, const Matrix state, const Matrix weight,
                            const float* __restrict__ bias, Matrix next, int step) {
  const int unit = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (unit >= next.size(1)) return;
  const int inputs = x.size(2);
  float total = bias[unit];
  for (int i = 0; i < inputs; ++i) total += weight[unit][i] * x[step][row][i];
  for (int h = 0; h < state.size(1); ++h) total += weight[unit][inputs + h] * state[row][h];
  next[row][unit] = tanhf(total);
}

std::tuple<torch::Tensor, torch::Tensor> run(torch::Tensor x, torch::Tensor h0, torch::Tensor weight,
                                             torch::Tensor bias) {
  const int steps = x.size(0), batch = x.size(1), hidden = h0.size(1);
  auto states = torch::empty({steps, batch, hidden}, x.options());
  auto state = h0;
  for (int step = 0; step < steps; ++step) {
    auto next = states.select(0, step);
    step_kernel<<<dim3((hidden + 31) / 32, batch), 32>>>(
        x.packed_accessor32<float, 3, torch::RestrictPtrTraits>(),
        state.packed_accessor32<float, 2, torch::RestrictPtrTraits>(),
        weight.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), bias.data_ptr<float>(),
        next.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), step);
    state = next;
  }
  return std::make_tuple(states, state.clone());
}
"""

cpp_source = """
#include <tuple>
std::tuple<torch::Tensor, torch::Tensor> run(torch::Tensor x, torch::Tensor h0, torch::Tensor weight,
                                             torch::Tensor bias);
"""

rnn = load_inline(name="rnn_steps", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["run"])


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)

    def forward(self, x, h0):
        states, last = rnn.run(x, h0, self.i2h.weight.detach(), self.i2h.bias.detach())
        return self.h2o(states), last
