import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return (x[:, None] - y[None]).square().sum(-1)


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        return (x * x).sum(1)[:, None] + (y * y).sum(1)[None] - 2 * x @ y.t()


def get_inputs():
    return [torch.randn(40, 32), torch.randn(50, 32)]


def get_init_inputs():
    return []
