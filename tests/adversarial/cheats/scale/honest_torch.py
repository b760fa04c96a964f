# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.clamp(x + x + 1, min=0)
