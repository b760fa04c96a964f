"""The candidate: a Triton kernel inside a model. Its inputs are the reference's."""
import torch
import triton
import triton.language as tl


@triton.jit
def scale_add_relu(x, y, out, scale, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside) * scale + tl.load(y + at, mask=inside)
    tl.store(out + at, tl.maximum(value, 0.0), mask=inside)


class ModelNew(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x, y):
        out = torch.empty_like(x)
        n = x.numel()
        scale_add_relu[(triton.cdiv(n, 1024),)](x, y, out, self.scale, n, BLOCK=1024)
        return out
