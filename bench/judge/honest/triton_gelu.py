# type: triton
import torch
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    tl.store(out + at, 0.5 * values * (1 + tl.erf(values * 0.7071067811865476)), mask=at < n)


class Model(torch.nn.Module):
    def forward(self, x):
        return F.gelu(x)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        gelu[(20,)](x, out, 5000, BLOCK=256)
        return out


def get_inputs():
    return [torch.randn(5000)]


def get_init_inputs():
    return []
