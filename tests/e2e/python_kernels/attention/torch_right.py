# verdict: accepted
import math

import torch


class ModelNew(torch.nn.Module):
    def forward(self, Q, K, V):
        scores = Q @ K.transpose(-1, -2) / math.sqrt(Q.shape[-1])
        future = torch.ones(scores.shape[-2:], dtype=torch.bool, device="cuda").triu(1)
        return scores.masked_fill(future, float("-inf")).softmax(-1) @ V
