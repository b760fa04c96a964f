import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def get_inputs():
    return [torch.randn(2, 4, 48, 32) for _ in range(3)]


def get_init_inputs():
    return []
