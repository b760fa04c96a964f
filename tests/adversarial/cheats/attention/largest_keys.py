# verdict: wrong_answer
# rule: tolerance
# class: A5
# Leaves out the keys with small weights.
import math

import torch


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~mask, float("-inf"))
        kept = scores >= scores.topk(24, -1).values[..., -1:]
        return torch.softmax(scores.masked_fill(~kept, float("-inf")), -1) @ v
