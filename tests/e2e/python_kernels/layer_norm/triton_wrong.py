# verdict: wrong_answer
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, y_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / width
    apart = x - mean  # the lanes behind the width count too
    variance = tl.sum(apart * apart, axis=0) / width
    weight = tl.load(weight_ptr + offsets, mask=mask)
    bias = tl.load(bias_ptr + offsets, mask=mask)
    tl.store(y_ptr + row * width + offsets, apart / tl.sqrt(variance + eps) * weight + bias, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        y = torch.empty_like(x)
        width = self.ln.weight.numel()
        layer_norm_kernel[(x.numel() // width,)](x, self.ln.weight, self.ln.bias, y, width,
                                                 self.ln.eps, BLOCK=4096)
        return y
