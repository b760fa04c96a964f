# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return torch.sub(a, b, alpha=-1)
