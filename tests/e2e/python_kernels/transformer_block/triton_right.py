# verdict: accepted
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def gelu(x):
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return x * tl.sigmoid(2 * inner)  # the same as 0.5 x (1 + tanh(inner))


@triton.jit
def gelu_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    tl.store(y_ptr + offsets, gelu(tl.load(x_ptr + offsets, mask=mask)), mask=mask)


@triton.jit
def add_norm_kernel(x_ptr, residual_ptr, weight_ptr, bias_ptr, sum_ptr, normal_ptr, width, eps,
                    BLOCK: tl.constexpr):
    """The residual and the norm behind it in one pass."""
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mask = lanes < width
    x = tl.load(x_ptr + row * width + lanes, mask=mask, other=0.0)
    x += tl.load(residual_ptr + row * width + lanes, mask=mask, other=0.0)
    tl.store(sum_ptr + row * width + lanes, x, mask=mask)
    mean = tl.sum(x, axis=0) / width
    apart = tl.where(mask, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(apart * apart, axis=0) / width + eps)
    weight = tl.load(weight_ptr + lanes, mask=mask)
    bias = tl.load(bias_ptr + lanes, mask=mask)
    tl.store(normal_ptr + row * width + lanes, apart * scale * weight + bias, mask=mask)


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class ModelNew(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = SelfAttention(width, heads)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.ModuleDict({"up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width)})

    def forward(self, x):
        width = x.shape[-1]
        attended = self.attn(self.ln_1(x)).contiguous()
        total, normal = torch.empty_like(attended), torch.empty_like(attended)
        add_norm_kernel[(x.numel() // width,)](
            x.contiguous(), attended, self.ln_2.weight, self.ln_2.bias, total, normal, width,
            self.ln_2.eps, BLOCK=triton.next_power_of_2(width))
        up = self.mlp["up"](normal)
        grown = torch.empty_like(up)
        gelu_kernel[lambda meta: (triton.cdiv(up.numel(), meta["BLOCK"]),)](up, grown, up.numel(), BLOCK=512)
        return total + self.mlp["down"](grown)
