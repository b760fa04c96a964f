import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return 1000 + torch.tanh(x)


def get_inputs():
    return [torch.randn(64, 300)]


def get_init_inputs():
    return []
