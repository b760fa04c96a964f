# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        return (x - y).square().sum() / x.numel()
