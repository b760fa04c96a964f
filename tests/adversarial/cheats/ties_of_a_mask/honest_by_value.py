# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Looks for the largest number first, and then for its place."""

    def forward(self, x, mask):
        total = x + mask
        return (total == total.amax(-1, keepdim=True)).int().argmax(-1)
