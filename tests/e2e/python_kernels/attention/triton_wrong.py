# verdict: wrong_answer
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, scale, length,
                     WIDTH: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr):
    """Forgets to shrink the running sum when the running maximum grows."""
    head = tl.program_id(1) * length * WIDTH
    rows = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    lanes = tl.arange(0, WIDTH)
    q = tl.load(q_ptr + head + rows[:, None] * WIDTH + lanes[None, :],
                mask=rows[:, None] < length, other=0.0)
    largest = tl.full((BLOCK_Q,), -1e30, dtype=tl.float32)
    weight = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q, WIDTH), dtype=tl.float32)
    for start in range(0, length, BLOCK_K):
        keys = start + tl.arange(0, BLOCK_K)
        inside = keys[:, None] < length
        k = tl.load(k_ptr + head + keys[:, None] * WIDTH + lanes[None, :], mask=inside, other=0.0)
        v = tl.load(v_ptr + head + keys[:, None] * WIDTH + lanes[None, :], mask=inside, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        seen = (keys[None, :] <= rows[:, None]) & (keys[None, :] < length)
        scores = tl.where(seen, scores, -1e30)
        now = tl.maximum(largest, tl.max(scores, axis=1))
        grown = tl.where(seen, tl.exp(scores - now[:, None]), 0.0)
        shrink = tl.exp(largest - now)
        weight = weight + tl.sum(grown, axis=1)
        total = total * shrink[:, None] + tl.dot(grown, v, input_precision="ieee")
        largest = now
    tl.store(out_ptr + head + rows[:, None] * WIDTH + lanes[None, :], total / weight[:, None],
             mask=rows[:, None] < length)


class ModelNew(torch.nn.Module):
    def forward(self, Q, K, V):
        batch, heads, length, width = Q.shape
        out = torch.empty_like(Q)
        attention_kernel[(triton.cdiv(length, 16), batch * heads)](
            Q.contiguous(), K.contiguous(), V.contiguous(), out, width**-0.5, length,
            WIDTH=width, BLOCK_Q=16, BLOCK_K=16, num_warps=1, num_stages=1)
        return out
