import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.mish(x)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        e = torch.exp(x.clamp_max(20))
        n = e * (e + 2)
        return x * n / (n + 2)


def get_inputs():
    return [torch.randn(64, 300)]


def get_init_inputs():
    return []
