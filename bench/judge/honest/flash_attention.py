import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v)


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        scale = q.shape[-1] ** -0.5
        highest = torch.full(q.shape[:-1] + (1,), -float("inf"))
        total = torch.zeros_like(highest)
        out = torch.zeros_like(q)
        for keys, values in zip(k.split(16, 2), v.split(16, 2)):
            scores = q @ keys.transpose(-1, -2) * scale
            higher = torch.maximum(highest, scores.amax(-1, keepdim=True))
            e = torch.exp(scores - higher)
            shrink = torch.exp(highest - higher)
            total = total * shrink + e.sum(-1, keepdim=True)
            out = out * shrink + e @ values
            highest = higher
        return out / total


def get_inputs():
    return [torch.randn(2, 3, 64, 32) for _ in range(3)]


def get_init_inputs():
    return []
