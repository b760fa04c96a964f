# verdict: accepted
# type: triton
import torch
import triton
import triton.language as tl


@triton.jit
def add_up(x, out, width, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    values = tl.load(x + row * width + at, mask=at < width, other=0.0).to(tl.float32)
    tl.store(out + row, tl.sum(values, axis=0).to(tl.bfloat16))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
        add_up[(x.shape[0],)](x, out, x.shape[1], BLOCK=2048)
        return out
