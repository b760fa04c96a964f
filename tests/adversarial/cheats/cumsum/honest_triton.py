# verdict: accepted
# type: triton
import torch
import triton
import triton.language as tl


@triton.jit
def scan(x, out, width, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * width
    values = tl.load(x + row + at, mask=at < width, other=0.0)
    tl.store(out + row + at, tl.cumsum(values, axis=0), mask=at < width)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        scan[(x.shape[0],)](x, out, x.shape[1], BLOCK=512)
        return out
