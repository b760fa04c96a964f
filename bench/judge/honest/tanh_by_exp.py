import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return 1 - 2 / (torch.exp(2 * x) + 1)


def get_inputs():
    return [torch.randn(64, 300)]


def get_init_inputs():
    return []
