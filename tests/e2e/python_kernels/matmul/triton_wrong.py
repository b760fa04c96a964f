# verdict: wrong_answer
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K,
                  BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, K - BLOCK_K + 1, BLOCK_K):  # forgets the rest of K
        inner = start + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=rows[:, None] < M, other=0.0)
        b = tl.load(b_ptr + inner[:, None] * N + columns[None, :], mask=columns[None, :] < N, other=0.0)
        total += tl.dot(a, b)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        M, K = A.shape
        N = B.shape[1]
        C = torch.empty((M, N), device="cuda", dtype=A.dtype)
        matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](A, B, C, M, N, K, BLOCK=16, BLOCK_K=16)
        return C
