import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(32, 64), torch.randn(64, 48)]


def get_init_inputs():
    return []
