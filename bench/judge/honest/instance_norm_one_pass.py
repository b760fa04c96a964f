import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.instance_norm(x)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        mean = x.mean((2, 3), keepdim=True)
        spread = (x * x).mean((2, 3), keepdim=True) - mean * mean
        return (x - mean) / torch.sqrt(spread + 1e-5)


def get_inputs():
    return [torch.randn(4, 6, 24, 25)]


def get_init_inputs():
    return []
