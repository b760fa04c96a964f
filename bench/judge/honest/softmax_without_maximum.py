import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        e = torch.exp(x)
        return e / e.sum(-1, keepdim=True)


def get_inputs():
    return [torch.randn(32, 500)]


def get_init_inputs():
    return []
