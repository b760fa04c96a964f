# verdict: accepted
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def step_kernel(x_ptr, state_ptr, weight_ptr, bias_ptr, next_ptr, inputs, hidden,
                BLOCK_I: tl.constexpr, BLOCK_H: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK_I)
    h = tl.arange(0, BLOCK_H)
    x = tl.load(x_ptr + row * inputs + i, mask=i < inputs, other=0.0)
    state = tl.load(state_ptr + row * hidden + h, mask=h < hidden, other=0.0)
    units = weight_ptr + h[:, None] * (inputs + hidden)
    known = h[:, None] < hidden
    of_x = tl.load(units + i[None, :], mask=known & (i[None, :] < inputs), other=0.0)
    of_state = tl.load(units + inputs + h[None, :], mask=known & (h[None, :] < hidden), other=0.0)
    total = tl.sum(of_x * x[None, :], axis=1) + tl.sum(of_state * state[None, :], axis=1)
    total += tl.load(bias_ptr + h, mask=h < hidden, other=0.0)
    tl.store(next_ptr + row * hidden + h, tanh(total), mask=h < hidden)


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)

    def forward(self, x, h0):
        steps, batch, inputs = x.shape
        hidden = h0.shape[1]
        states = torch.empty(steps, batch, hidden, device=x.device)
        state = h0.contiguous()
        for step in range(steps):
            step_kernel[(batch,)](x[step], state, self.i2h.weight, self.i2h.bias, states[step],
                                         inputs, hidden,
                                         BLOCK_I=triton.next_power_of_2(inputs),
                                         BLOCK_H=triton.next_power_of_2(hidden))
            state = states[step]
        return self.h2o(states), state.clone()
