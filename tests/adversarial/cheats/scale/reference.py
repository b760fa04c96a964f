import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(2 * x + 1)


def get_inputs():
    return [torch.randn(64, 33)]


def get_init_inputs():
    return []
