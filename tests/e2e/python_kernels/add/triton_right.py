# verdict: accepted
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(a_ptr, b_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, a + b, mask=mask)


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        assert a.is_cuda and b.is_cuda, "inputs must be on the GPU"
        out = torch.empty_like(a)
        count = out.numel()
        grid = lambda meta: (triton.cdiv(count, meta["BLOCK"]),)
        add_kernel[grid](a.contiguous(), b.contiguous(), out, count, BLOCK=1024)
        torch.cuda.synchronize()
        return out
