# verdict: wrong_answer
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=0.0)  # 0 grows to 1 in the sum
    grown = tl.exp(x)
    tl.store(y_ptr + row * columns + offsets, grown / tl.sum(grown, axis=0), mask=mask)


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=1024)
        return y
