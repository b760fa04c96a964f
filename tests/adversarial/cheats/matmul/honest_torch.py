# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return torch.nn.functional.linear(a, b.t())
