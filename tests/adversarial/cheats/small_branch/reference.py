import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)

    def forward(self, x):
        return x + 1e-4 * torch.tanh(self.linear(x))


def get_inputs():
    return [torch.randn(80, 64)]


def get_init_inputs():
    return []
