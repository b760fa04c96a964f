# verdict: wrong_answer
# type: triton
# rule: constant
# class: A4
# A kernel that stores a constant.
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    tl.store(out + at, values * 0 + 1, mask=at < n)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        scale[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
        return out
