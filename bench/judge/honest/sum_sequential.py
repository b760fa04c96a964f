import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sum(-1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(x, -1)[:, -1].clone()


def get_inputs():
    return [torch.rand(16, 4000)]


def get_init_inputs():
    return []
