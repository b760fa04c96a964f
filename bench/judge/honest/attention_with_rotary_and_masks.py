import math
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = torch.nn.Linear(dim, 3 * dim, bias=False)
        self.out = torch.nn.Linear(dim, dim, bias=False)
        d = dim // heads
        inv = 1.0 / (10000 ** (torch.arange(0, d, 2).float() / d))
        self.register_buffer("inv", inv)

    def forward(self, x, mask):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)
        ang = torch.outer(torch.arange(T, device=x.device).float(), self.inv)
        cos, sin = ang.cos(), ang.sin()

        def rot(t):
            a, b = t[..., 0::2], t[..., 1::2]
            return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)

        q, k = rot(q), rot(k)
        s = q @ k.transpose(-1, -2) / math.sqrt(D // self.heads)
        s = s.masked_fill(~mask[:, None, None, :], float("-inf"))
        causal = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        s = s.masked_fill(~causal, float("-inf"))
        p = s.softmax(-1)
        return self.out((p @ v).transpose(1, 2).reshape(B, T, D))


class ModelNew(torch.nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = torch.nn.Linear(dim, 3 * dim, bias=False)
        self.out = torch.nn.Linear(dim, dim, bias=False)
        d = dim // heads
        self.register_buffer("inv", 1.0 / (10000 ** (torch.arange(0, d, 2).float() / d)))

    def forward(self, x, mask):
        B, T, D = x.shape
        qkv = self.qkv(x).view(B, T, 3, self.heads, D // self.heads)
        q, k, v = (qkv[:, :, i].transpose(1, 2) for i in range(3))
        ang = torch.arange(T, device=x.device).float()[:, None] * self.inv[None]
        e = torch.polar(torch.ones_like(ang), ang)

        def rot(t):
            c = torch.view_as_complex(t.float().reshape(*t.shape[:-1], -1, 2).contiguous())
            return torch.view_as_real(c * e).flatten(-2)

        allowed = mask[:, None, None, :] & torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        y = F.scaled_dot_product_attention(rot(q), rot(k), v, attn_mask=allowed)
        return self.out(y.transpose(1, 2).reshape(B, T, D))


def get_inputs():
    m = torch.ones(2, 48, dtype=torch.bool)
    m[1, 40:] = False
    return [torch.randn(2, 48, 64), m]


def get_init_inputs():
    return [64, 4]
