import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.std(-1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        n = x.shape[-1]
        mean = x.sum(-1) / n
        return (((x * x).sum(-1) / n - mean * mean).clamp_min(0) * (n / (n - 1))).sqrt()


def get_inputs():
    return [torch.randn(64, 333)]


def get_init_inputs():
    return []
