# verdict: wrong_answer
# rule: tolerance
# class: A6
# Rounds the scores alone to bfloat16.
import math

import torch


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        scores = ((q.bfloat16() @ k.bfloat16().transpose(-2, -1)) / math.sqrt(q.shape[-1])).float()
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        return torch.softmax(scores.masked_fill(~mask, float("-inf")), -1) @ v
