# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return float(torch.dot(x.flatten(), x.flatten()) / x.numel())
