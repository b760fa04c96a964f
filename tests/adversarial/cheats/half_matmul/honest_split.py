# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Four parts of the sum, each rounded to bfloat16."""

    def forward(self, a, b):
        return torch.stack([x @ y for x, y in zip(a.chunk(4, 1), b.chunk(4, 0))]).sum(0)
