import torch
import torch.nn as nn


class Model(nn.Module):
    """Causal scaled dot-product attention."""

    def forward(self, Q, K, V):
        return nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True)


batch, heads, length, width = 1, 2, 24, 16


def get_inputs():
    return [torch.randn(batch, heads, length, width) for _ in range(3)]


def get_init_inputs():
    return []
