# type: triton
import torch
import triton
import triton.language as tl


@triton.jit
def add_up(x, out, width, BLOCK: tl.constexpr):
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.atomic_add(out + row, tl.sum(tl.load(x + row * width + at, mask=at < width, other=0.0), axis=0))


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sum(-1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.zeros(20)
        add_up[(20, 8)](x, out, 1000, BLOCK=128)
        return out


def get_inputs():
    return [torch.randn(20, 1000)]


def get_init_inputs():
    return []
