# verdict: accepted
# Sums up block after block, as flash attention does.
import math

import torch


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        length, block = q.shape[-2], 16
        at = torch.arange(length, device=q.device)
        highest = torch.full((*q.shape[:-1], 1), float("-inf"), device=q.device)
        total = torch.zeros_like(highest)
        out = torch.zeros_like(q)
        for start in range(0, length, block):
            keys = slice(start, start + block)
            scores = q @ k[..., keys, :].transpose(-2, -1) / math.sqrt(q.shape[-1])
            scores = scores.masked_fill(at[None, keys] > at[:, None], -1e30)
            now = torch.maximum(highest, scores.amax(-1, keepdim=True))
            weights = torch.exp(scores - now)
            shrink = torch.exp(highest - now)
            total = total * shrink + weights.sum(-1, keepdim=True)
            out = out * shrink + weights @ v[..., keys, :]
            highest = now
        return out / total
