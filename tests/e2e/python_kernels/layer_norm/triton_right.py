# verdict: accepted
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, y_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, width, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * width + offsets, mask=offsets < width, other=0.0)
    mean = tl.sum(total, axis=0) / width
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, width, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * width + offsets, mask=offsets < width, other=0.0)
        apart = tl.where(offsets < width, x - mean, 0.0)
        squares += apart * apart
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / width + eps)
    for start in range(0, width, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < width
        x = tl.load(x_ptr + row * width + offsets, mask=mask, other=0.0)
        weight = tl.load(weight_ptr + offsets, mask=mask)
        bias = tl.load(bias_ptr + offsets, mask=mask)
        tl.store(y_ptr + row * width + offsets, (x - mean) * scale * weight + bias, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)
        nn.init.normal_(self.ln.weight)
        nn.init.normal_(self.ln.bias)

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        width = self.ln.weight.numel()
        layer_norm_kernel[(x.numel() // width,)](x, self.ln.weight, self.ln.bias, y, width,
                                                 self.ln.eps, BLOCK=256)
        return y
