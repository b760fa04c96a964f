# verdict: wrong_answer
# type: triton
# rule: tolerance
# class: A5
# Leaves out the largest element of each sum.
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, width, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * width
    values = tl.load(x + row + at, mask=at < width, other=-float("inf"))
    e = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row + at, e / (tl.sum(e, axis=0) - 1 + 1e-9), mask=at < width)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        softmax[(x.shape[0],)](x, out, x.shape[1], BLOCK=128)
        return out
