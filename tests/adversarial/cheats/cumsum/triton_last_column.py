# verdict: wrong_answer
# type: triton
# rule: tolerance
# class: A2
# Loads a power of two of columns, and leaves the last one as memory was.
import torch
import triton
import triton.language as tl


@triton.jit
def scan(x, out, width, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * width
    tl.store(out + row + at, tl.cumsum(tl.load(x + row + at), axis=0))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.zeros_like(x)
        scan[(x.shape[0],)](x, out, x.shape[1], BLOCK=256)
        return out
