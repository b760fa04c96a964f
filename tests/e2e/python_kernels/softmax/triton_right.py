# verdict: accepted
import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["columns"])})
@triton.jit
def softmax_kernel(x_ptr, y_ptr, row_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * row_stride + offsets, mask=mask, other=-float("inf"))
    grown = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * row_stride + offsets, grown / tl.sum(grown, axis=0), mask=mask)


class ModelNew(torch.nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        assert dim == 1

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        rows, columns = x.shape
        softmax_kernel[(rows,)](x, y, x.stride(0), columns, num_warps=4)
        return y
